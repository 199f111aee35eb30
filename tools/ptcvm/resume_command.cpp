// ptcvm resume: goes on from a snapshot with what was resolved meanwhile.
#include <iostream>

#include "runtime/engine/clock.h"
#include "runtime/text/json_value.h"
#include "tools/ptcvm/command_calls.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/durable_command.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/interrupt.h"
#include "tools/ptcvm/loading.h"
#include "tools/ptcvm/operation_arguments.h"
#include "tools/ptcvm/report.h"
#include "tools/ptcvm/run_options.h"
#include "tools/ptcvm/terminal.h"
#include "tools/ptcvm/trace.h"
#include "vm/value/string.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kResumeExamples = R"(Examples:
  ptcvm run approval.ptc --async-tool ask_manager --snapshot state.ptcs
  ptcvm resume state.ptcs --async-tool ask_manager --resolve 'op1={"decision":"approved"}' --snapshot state.ptcs
  ptcvm resume state.ptcs --async-tool ask_manager --resolve op1=@answer.json
  ptcvm resume state.ptcs --async-tool ask_manager --fail 'op1=nobody answered'
  ptcvm resume state.ptcs --tool price='python3 price.py' --snapshot state.ptcs
  ptcvm resume --store runs.db may --tool pay='python3 pay.py' --tool-effect pay=keyed

The tools must be those of the run: a tool that is missing or has changed is refused before anything is executed.
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

constexpr std::int64_t kMostMillis = std::int64_t{1000} * 366 * 24 * 3600 * 1000;   // about a thousand years

class Resume {
 public:
  explicit Resume(const ResumeRequest& request) : request_(request) {}

  int run() {
    auto file = read_snapshot_file(request_.snapshot, request_.park.seal, message_);
    if (!file || !restore(*file)) return refuse();
    std::vector<ptc::Resolution> resolutions;
    if (!read_resolutions(resolutions)) return refuse();
    std::unique_ptr<TraceFile> trace;
    const std::string& path = request_.options.trace;
    if (!path.empty() && !(trace = TraceFile::open(path, TraceFile::Mode::GoOn, session_->run().run_id(), message_))) {
      return refuse();
    }
    RunReporter reporter(stderr, trace.get());
    session_->set_reader(&reporter);
    if (trace != nullptr) trace->expect_resume();
    const InterruptFlag interrupted;
    session_->clock().set_cancel_flag(interrupted.flag());
    if (auto refusal = session_->operations().resolve(std::move(resolutions))) {
      message_ = std::string(ptc::fault_name(refusal->kind)) + ": " + refusal->message;
      return refuse();
    }
    session_->clock().set_given_time(now());
    session_->calls().hand_out_all();
    const ptc::Outcome outcome =
        run_with_commands(*session_, request_.options.parallel_tools, interrupted.flag());
    if (trace != nullptr) trace->end(outcome);
    ParkOptions park = request_.park;
    if (file->sequence) park.sequence = *file->sequence + 1;
    if (outcome.status == ptc::OutcomeStatus::Suspended && park.snapshot.empty()) {
      message_ = "the program is suspended again, and there is no --snapshot to keep its state in; " +
                 request_.snapshot + " is as it was";
      return refuse();
    }
    return report(outcome, *session_, request_.options.output, request_.options.stats, park);
  }

 private:
  int refuse() const {
    complain(message_);
    return kBadInput;
  }

  bool restore(const SnapshotFile& file) {
    ptc::ToolRegistry tools;
    if (!add_tools(tools, request_.options, message_)) return false;
    if (!shelve_program(engine_, request_.program, tools, message_)) return false;
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(file.bytes.data()),
                                              file.bytes.size());
    ptc::SessionRestore wanted;
    wanted.most_bytes = kMostSnapshotBytes;
    request_.options.limits.apply(wanted.most);
    auto restored = ptc::Session::restore(engine_, bytes, std::move(tools), wanted);
    if (const auto* error = std::get_if<ptc::RestoreError>(&restored)) {
      message_ = restore_complaint(request_.snapshot, *error, request_.program);
      return false;
    }
    session_ = std::get<std::unique_ptr<ptc::Session>>(std::move(restored));
    if (session_->run().in_turn()) return true;
    message_ = request_.snapshot + " holds no program that goes on";
    return false;
  }

  bool read_resolutions(std::vector<ptc::Resolution>& out) {
    if (read_all(out)) return true;
    for (const ptc::Resolution& made : out) session_->heap().release(made.settlement.value);
    return false;
  }

  bool read_all(std::vector<ptc::Resolution>& out) {
    for (const std::string& text : request_.resolved) {
      const auto [operation, json] = parts_of(text);
      if (!json) return complain_of("--resolve " + text, "OP=JSON");
      std::optional<std::string> content = *json;
      if (json->starts_with('@')) content = read_file(json->substr(1), message_);
      if (!content) return false;
      auto value = ptc::read_json(session_->heap(), *content);
      if (const auto* error = std::get_if<ptc::JsonError>(&value)) {
        message_ = "--resolve " + operation + ": what follows = must be JSON, or @ and a file of it: " + error->message;
        return false;
      }
      out.push_back(ptc::Resolution::ok(operation, std::get<ptc::Value>(value)));
    }
    for (const std::string& text : request_.failed) {
      const auto [operation, reason] = parts_of(text);
      if (!reason || reason->empty()) return complain_of("--fail " + text, "OP=REASON");
      out.push_back(ptc::Resolution::error(operation, reason_text(*reason)));
    }
    for (const std::string& text : request_.cancelled) {
      const auto [operation, reason] = parts_of(text);
      out.push_back(ptc::Resolution::cancel(operation, reason_text(reason.value_or(""))));
    }
    return true;
  }

  bool complain_of(const std::string& given, std::string_view wanted) {
    message_ = given + ": " + std::string(wanted) + " is wanted";
    return false;
  }

  // A JSON string is its content, any other text is itself.
  std::string reason_text(const std::string& reason) {
    if (!reason.starts_with('"')) return reason;
    auto value = ptc::read_json(session_->heap(), reason);
    const auto* read = std::get_if<ptc::Value>(&value);
    if (read == nullptr) return reason;
    const ptc::Owned owner(session_->heap(), *read);
    return read->is_string() ? std::string(ptc::string_view_of(*read)) : reason;
  }

  std::optional<std::int64_t> now() const {
    if (request_.after_ms == 0) return std::nullopt;
    return ptc::system_millis() + request_.after_ms;
  }

  const ResumeRequest& request_;
  const ptc::Engine engine_;
  std::unique_ptr<ptc::Session> session_;
  std::string message_;
};

int resume_stored(ResumeRequest& request) {
  request.durable.store.id = request.snapshot;
  request.durable.after_ms = request.after_ms;
  return resume_in_store(request.options, request.durable, {request.resolved, request.failed, request.cancelled});
}

}  // namespace

void add_resume_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("resume", "Go on from a snapshot with the answers that have come");
  auto request = std::make_shared<ResumeRequest>();
  command->add_option("SNAPSHOT", request->snapshot, "What run or resume wrote with --snapshot; with --store: the run")
      ->required();
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
      ->type_name("MS")
      ->check(CLI::Range(std::int64_t{0}, kMostMillis).description(""));
  command->add_option("--program", request->program, "The program, when the snapshot only names it (.ptc or .ptcp)")
      ->type_name("FILE");
  declare_tool_options(*command, request->options);
  request->options.limits.declare(*command);
  declare_park_options(*command, request->park);
  command->footer(kResumeExamples);
  declare_durable_options(*command, request->durable);
  for (const char* other : {"--snapshot", "--program", "--program-by-hash"}) {
    command->get_option("--store")->excludes(command->get_option(other));
  }
  command->callback([request, &status] {
    status = request->durable.store.path.empty() ? Resume(*request).run() : resume_stored(*request);
  });
}

}  // namespace ptcvm::cli
