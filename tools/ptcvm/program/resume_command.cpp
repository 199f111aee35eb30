// ptcvm resume: goes on from a snapshot with what was resolved meanwhile.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <span>

#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/interrupt.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/durable_command.h"
#include "tools/ptcvm/program/journal_file.h"
#include "tools/ptcvm/program/next_commands.h"
#include "tools/ptcvm/program/report.h"
#include "tools/ptcvm/program/snapshot_tools.h"
#include "tools/ptcvm/program/suspension.h"
#include "tools/ptcvm/store/operation_arguments.h"
#include "tools/ptcvm/text/loading.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"
#include "tools/ptcvm/trace/trace.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kResumeExamples = R"(Examples:
  ptcvm run approval.ptc --async-tool ask_manager --snapshot state.ptcs
  ptcvm resume state.ptcs --async-tool ask_manager --resolve 'op1={"decision":"approved"}' --snapshot state.ptcs
  ptcvm resume state.ptcs --async-tool ask_manager --resolve op1=@answer.json
  ptcvm resume state.ptcs --async-tool ask_manager --resolve op1=true --journal journal.edn
  ptcvm resume state.ptcs --async-tool ask_manager --fail 'op1=nobody answered'
  ptcvm resume state.ptcs --tool price='python3 price.py' --snapshot state.ptcs
  ptcvm resume --store runs.db may --tool pay='python3 pay.py' --tool-effect pay=keyed
  ptcvm resume --store runs.db may --tools tools.json --recorded

The tools must be those of the run: a tool that is missing or has changed is refused before anything is executed. An
asynchronous tool without a command needs no option.
With --journal the tasks of the file are done, and the file gets the tasks that are done now.
With --recorded nothing is written and no tool is called, except pure ones: a call that the log has no answer for is
named, and ends the command with status 65. --resolve tries an answer.
The limits are those of the run, or smaller ones given here; what it has used counts.
Without a resolution the program goes on only if its time has come. Exit status 75: it is suspended again.)";

struct ResumeRequest {
  std::string snapshot, program;
  std::vector<std::string> resolved, failed, cancelled;
  std::int64_t after_ms = 0;
  RunArguments options;
  ParkOptions park;
  DurableRequest durable;
};

// Notes the tasks that are done.
class TaskReporter : public RunReporter {
 public:
  TaskReporter() : RunReporter(stderr) {}
  Verdict on_event(const Event& event) override {
    if (event.kind == EventKind::Commit) tasks_.emplace_back(event.task);
    return RunReporter::on_event(event);
  }
  const std::vector<std::string>& tasks() const { return tasks_; }

 private:
  std::vector<std::string> tasks_;
};

class Resume {
 public:
  explicit Resume(const ResumeRequest& request) : request_(request) {}

  int run() {
    if (!request_.park.snapshot.empty() && !can_seal(request_.park.seal, message_)) return refuse();
    auto file = read_snapshot_file(request_.snapshot, request_.park.seal, message_);
    std::error_code why;
    if (!file && !std::filesystem::exists(request_.snapshot, why) && !why) {
      message_ += "; a run that a store keeps needs --store FILE.db, too";
    }
    auto tools = file ? command_tools(request_.options, message_) : std::nullopt;
    if (!tools || !shelve_program(engine_, request_.program, tools->tools, message_)) return refuse();
    const std::uint64_t most_bytes = most_answer_bytes(*file);
    auto run = restored(*file, *tools);
    std::string().swap(file->bytes);             // the run has a memory of its own
    std::vector<Answer> answers;
    if (!run || !read_answers(*run, most_bytes, answers)) return refuse();
    std::unique_ptr<TraceFile> trace;
    const std::string& path = request_.options.trace;
    const std::string id(run->id());
    if (!path.empty() && !(trace = TraceFile::open(path, TraceFile::Mode::GoOn, id, message_))) return refuse();
    reporter_.set_trace(trace.get());
    if (trace != nullptr) {
      trace->expect_resume();
      trace->hold();                             // what is refused is not in the trace
    }
    if (!give(*run, answers)) return refuse();
    if (trace != nullptr) trace->release();
    if (request_.after_ms != 0) run->set_time(now_millis() + request_.after_ms);
    return go_on(*run, *tools, *file, trace.get());
  }

 private:
  // What is said about an operation.
  struct Answer {
    enum class Kind : std::uint8_t { Value, Error, Cancel };
    Kind kind = Kind::Value;
    std::string operation, reason;
    Value value;
  };

  int refuse() const {
    complain(message_);
    return kBadInput;
  }

  int go_on(Run& run, const CommandTools& tools, const SnapshotFile& file, TraceFile* trace) {
    const InterruptFlag interrupted;
    CommandCalls commands(tools, request_.options.parallel_tools, interrupted.flag());
    interrupted.cancels(run);
    const bool is_suspended = run_with_commands(run, commands) == RunState::Suspended;
    const TurnEnd end = end_of_turn(run, request_.options.output);
    const Outcome& outcome = end.outcome;
    if (trace != nullptr && is_suspended) trace->suspend(outcome, waiting_ids(operations_of(run.pending())));
    if (trace != nullptr && !is_suspended) trace->end(outcome, run.result());
    ParkOptions park = request_.park;
    if (file.sequence) park.sequence = *file.sequence + 1;
    const bool is_kept = keep_journal(run, request_.options.journal, message_);
    if (!is_kept) complain(message_);
    if (is_suspended) tell_of_added(run);
    if (!is_suspended || park.snapshot.empty()) tell_of_lost_tasks();
    const int status = is_suspended && park.snapshot.empty() ? refuse_to_forget(run)
                                                             : report(run, end, request_.options, park);
    return is_kept ? status : kStoreFailed;
  }

  // Tasks that were done now and that neither a journal nor a snapshot has.
  void tell_of_lost_tasks() const {
    const std::vector<std::string>& done = reporter_.tasks();
    if (done.empty() || !request_.options.journal.empty()) return;
    std::string names;
    for (const std::string& task : done) names.append(names.empty() ? "" : ", ").append(one_line(task));
    complain("warning: nothing keeps the tasks that are done since " + request_.snapshot + " was written: " + names +
             ". A program that begins again does them again. --journal FILE keeps them (echo '{}' > FILE makes an "
             "empty journal)");
  }

  // Nothing keeps the new state, so that the answers of this command count for nothing.
  int refuse_to_forget(const Run& run) {
    message_ = "the program is suspended again, and there is no --snapshot to keep its state in; " +
               request_.snapshot + " is as it was. Give the command again with --snapshot " + request_.snapshot;
    if (request_.resolved.empty() && request_.failed.empty() && request_.cancelled.empty()) {
      message_ += ", or an answer: " + next_with_snapshot(request_.snapshot, request_.park.seal, run.pending(),
                                                          request_.options);
    }
    return refuse();
  }

  // A call of a tool that was added without a command is made by nobody here.
  void tell_of_added(const Run& run) const {
    for (const WaitingOperation& operation : operations_of(run.pending())) {
      if (std::ranges::count(added_, operation.tool) == 0 || std::ranges::count(known_, operation.id) > 0) continue;
      complain("note: " + operation.id + " waits for " + operation.tool + ", which was given no command; with one, " +
               "give --async-tool " + operation.tool + "=COMMAND");
    }
  }

  std::optional<Run> restored(SnapshotFile& file, CommandTools& tools) {
    RestoreOptions wanted;
    wanted.tools = tools.tools;
    wanted.limits = request_.options.limits.bounds();
    wanted.max_bytes = kMostSnapshotBytes;
    wanted.observer = &reporter_;
    wanted.hands_out_calls = true;
    const auto bytes = std::as_writable_bytes(std::span(file.bytes));
    auto run = run_in(bytes, wanted);
    std::string options;
    if (!run && run.error().detail == "snapshot_refused") {
      const auto snapshot = SnapshotView::open(engine_, bytes, kMostSnapshotBytes);
      if (snapshot) added_ = add_async_tools_of(*snapshot, tools);
      if (snapshot) options = missing_tool_options(*snapshot, tools);
      wanted.tools = tools.tools;
      if (!added_.empty()) run = run_in(bytes, wanted);
    }
    if (!run && run.error().code == Errc::invalid_value) {
      message_ = run.error().message;            // the journal is refused
      return std::nullopt;
    }
    if (!run) {
      message_ = restore_complaint(request_.snapshot, run.error(), request_.program, file.bytes) + options;
      return std::nullopt;
    }
    for (const WaitingOperation& operation : operations_of(run->pending())) known_.push_back(operation.id);
    if (!run->is_over()) return std::move(*run);
    message_ = request_.snapshot + " holds no program that goes on";
    return std::nullopt;
  }

  // Returns the run of a snapshot, with the tasks of the journal.
  Result<Run> run_in(std::span<std::byte> bytes, const RestoreOptions& wanted) {
    const std::string& journal = request_.options.journal;
    if (journal.empty()) return Run::restore_from(engine_, bytes, wanted);   // gives back what was read
    auto session = Session::restore(engine_, bytes, wanted);
    if (!session) return session.error();
    std::string message;
    if (!read_journal(*session, journal, message)) return Error{Errc::invalid_value, message, std::nullopt};
    return std::move(session->run());
  }

  // Returns how long an answer may be. The snapshot knows, and is looked at when there is a file for which it matters.
  std::uint64_t most_answer_bytes(const SnapshotFile& file) const {
    const std::uint64_t usual = Limits().result_bytes, given = request_.options.limits.bounds().result_bytes;
    const bool matters = std::ranges::any_of(request_.resolved, [usual](const std::string& text) {
      const auto json = parts_of(text).second;
      if (!json || !json->starts_with('@')) return false;
      std::error_code unknown;
      const std::uintmax_t size = std::filesystem::file_size(json->substr(1), unknown);
      return unknown || size > usual;
    });
    if (!matters) return std::min(given, usual);
    const auto snapshot = SnapshotView::open(engine_, std::as_bytes(std::span(file.bytes)), kMostSnapshotBytes);
    return std::min(given, snapshot ? snapshot->facts().limits.result_bytes : usual);
  }

  bool read_answers(const Run& run, std::uint64_t most_bytes, std::vector<Answer>& out) {
    Limits limits;
    limits.memory_bytes = run.memory_left();
    limits.result_bytes = most_bytes;
    const auto bound = ValueBound::of_answer(limits);
    for (const std::string& text : request_.resolved) {
      const auto [operation, json] = parts_of(text);
      if (!json) return complain_of("--resolve " + text, "OP=JSON");
      std::optional<Value> value;
      if (const auto content = bound.text(*json, message_)) value = bound.value(*content, false, message_);
      if (!value) {
        message_ = "--resolve " + operation + ": " + message_;
        return false;
      }
      out.push_back({Answer::Kind::Value, operation, {}, std::move(*value)});
    }
    for (const std::string& text : request_.failed) {
      const auto [operation, reason] = parts_of(text);
      if (!reason || reason->empty()) return complain_of("--fail " + text, "OP=REASON");
      out.push_back({Answer::Kind::Error, operation, reason_text(*reason), {}});
    }
    for (const std::string& text : request_.cancelled) {
      const auto [operation, reason] = parts_of(text);
      out.push_back({Answer::Kind::Cancel, operation, reason_text(reason.value_or("")), {}});
    }
    return true;
  }

  // Returns the operation that `name` means: its id, or the name of a signal for which the program waits.
  static std::string operation_named(const Run& run, const std::string& name) {
    const auto pending = run.pending();
    const auto is_signal = [&name](const PendingOperation& operation) {
      return operation.tool == "await-signal" && operation.args["name"].as_string() == name;
    };
    if (std::ranges::find(pending, name, &PendingOperation::id) != pending.end()) return name;
    const auto found = std::ranges::find_if(pending, is_signal);
    return found == pending.end() ? name : std::string(found->id);
  }

  bool give(Run& run, std::vector<Answer>& answers) {
    for (Answer& answer : answers) {
      answer.operation = operation_named(run, answer.operation);
      const auto given = answer.kind == Answer::Kind::Value   ? run.resolve(answer.operation, answer.value)
                         : answer.kind == Answer::Kind::Error ? run.resolve_error(answer.operation, answer.reason)
                                                              : run.resolve_cancelled(answer.operation, answer.reason);
      if (given) continue;
      message_ = std::string(given.error().detail) + ": " + given.error().message;
      return false;
    }
    return true;
  }

  bool complain_of(const std::string& given, std::string_view wanted) {
    message_ = given + ": " + std::string(wanted) + " is wanted";
    return false;
  }

  // A JSON string is its content, any other text is itself.
  static std::string reason_text(const std::string& reason) {
    if (!reason.starts_with('"')) return reason;
    const auto value = Value::from_json(reason);
    const auto text = value ? value->view().as_string() : std::nullopt;
    return text ? std::string(*text) : reason;
  }

  const ResumeRequest& request_;
  const Engine engine_;
  TaskReporter reporter_;
  std::string message_;
  std::vector<std::string> added_;           // asynchronous tools of the snapshot that no option names
  std::vector<std::string> known_;           // operations that the snapshot waits for
};

int resume_stored(ResumeRequest& request) {
  request.durable.store.id = request.snapshot;
  request.durable.after_ms = request.after_ms;
  request.durable.take_seal(request.park.seal);
  return resume_in_store(Engine(), request.options, request.durable,
                         {request.resolved, request.failed, request.cancelled});
}

}  // namespace

void add_resume_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("resume", "Go on from a snapshot with the answers that have come");
  auto request = std::make_shared<ResumeRequest>();
  command->add_option("SNAPSHOT", request->snapshot, "What run or resume wrote with --snapshot; with --store: the run")
      ->required();
  command->add_option("--id", request->snapshot, "With --store: the run, instead of the argument")->type_name("ID");
  command->add_option("--resolve", request->resolved, "The result of an operation, or @ and its file; repeatable")
      ->type_name("OP=JSON")
      ->allow_extra_args(false);
  command->add_option("--fail", request->failed, "An operation failed; repeatable")
      ->type_name("OP=REASON")
      ->allow_extra_args(false);
  command->add_option("--cancel", request->cancelled, "An operation is given up; repeatable")
      ->type_name("OP[=REASON]")
      ->allow_extra_args(false);
  command->add_option("--after", request->after_ms, "Act as if that much more time had passed: sleeps, deadlines")
      ->type_name("MS");
  command->add_option("--program", request->program, "The program, when the snapshot only names it (.ptc or .ptcp)")
      ->type_name("FILE");
  command
      ->add_option("--journal", request->options.journal, "Journal for (task …), as for run; written back at the end")
      ->type_name("FILE");
  declare_tool_options(*command, request->options);
  request->options.limits.declare(*command);
  declare_park_options(*command, request->park);
  command->footer(kResumeExamples);
  declare_durable_options(*command, request->durable);
  command->add_flag("--recorded", request->durable.is_recorded,
                    "With --store: go on with a copy in memory, answer calls from the log, and call no tool");
  command->callback([request, &status] {
    std::string& store = request->durable.store.path;
    // With the store from the environment, a file is a snapshot.
    const char* const usual = std::getenv(kStoreVariable);
    std::error_code ignored;
    const bool is_usual = usual != nullptr && store == usual;
    if (is_usual && std::filesystem::is_regular_file(request->snapshot, ignored)) store.clear();
    status = store.empty() ? Resume(*request).run() : resume_stored(*request);
  });
}

}  // namespace ptcvm::cli
