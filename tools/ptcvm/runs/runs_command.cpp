// ptcvm runs: what a store holds, one line a run.
#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <optional>

#include "agents/harness/people/conversation_json.h"
#include "agents/loop/rate_limits.h"
#include "ptcvm/host_log.hpp"
#include "ptcvm/queues.hpp"
#include "ptcvm/run_moves.hpp"
#include "runtime/text/json_text.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/calls/kept_tools.h"
#include "tools/ptcvm/calls/tool_errors.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_session.h"
#include "tools/ptcvm/runs/chain_rows.h"
#include "tools/ptcvm/store/doubt_text.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/store/waits_text.h"
#include "tools/ptcvm/text/known_words.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kRunsExamples = R"(Examples:
  ptcvm runs --store runs.db
  ptcvm runs --store runs.db --state woken --json
  ptcvm runs --store runs.db --state 'in doubt' --errors
  ptcvm runs cancel order-17 --store runs.db --reason 'no longer wanted'

A task of ptcvm chain is one row; --parts shows its logs as rows, too.
A run of a queue (ptcvm enqueue) also shows its queue and what the queue says of it: ready, timer, held, waiting,
blocked, quarantined, dead, dependency_failed (a run that it comes after was given up) or done. --state takes these,
too.
States: queued (no worker has begun it); running; interrupted (its process is gone: run or resume it again); waiting;
due (its time has come: resume it); woken (what it waits for has come: resume it); in doubt (a person has to say
something: ptcvm doubt list); failed REASON (an agent whose model gave no reply: ptcvm agent resume asks again); idle,
over (a conversation for which nobody plans now, or that is over: ptcvm harness); ended ok, ended return, ended fail,
ended error; ended (an agent or a task: its commands say how); cancelled (with its calls in doubt);
copy (for reading: ptcvm resume --recorded); moved to STORE; moving to STORE (say ptcvm runs move again).
With --keys each log is checked. A log that its seal refuses has the state "refused NAME", and the exit status is 65;
logs of other tenants are left out.)";

struct RunsRequest {
  StoreOptions store;
  std::string state;
  bool json = false;
  bool errors = false;
  bool parts = false;
};

// Of runs, of conversations, and of queues. Words for people may follow the last three.
constexpr auto kStates = std::to_array<std::string_view>(
    {"queued", "running", "interrupted", "waiting", "due", "woken", "in doubt", "idle", "over", "ended ok",
     "ended return", "ended fail", "ended error", "cancelled", "copy", "ready", "timer", "held", "blocked",
     "quarantined", "dead", "dependency_failed", "done", "failed", "moved to", "moving to", "refused"});

// Returns why a value of --state finds no run in any store, or "".
std::string state_problem(const std::string& given) {
  const bool is_known = std::ranges::any_of(kStates, [&given](std::string_view state) {
    const bool has_more = state == "moved to" || state == "moving to" || state == "refused" || state == "failed";
    return state.starts_with(given) || (has_more && given.starts_with(state));
  });
  return is_known ? "" : unknown_word("state", given, {kStates.begin(), kStates.end()});
}

// What the tool of one call wrote to its standard error.
struct CallErrors {
  std::string key, tool, text;
};

struct RunLine {
  StoredRunInfo info;
  std::string state, waits_for;
  std::optional<Error> refusal;   // why the seal of the log refuses it
  std::optional<QueuedRunStatus> queued;   // nullopt: no queue has it
  std::vector<CallErrors> errors = {};
  bool sleeps = false;            // until info.deadline_ms, and it waits for nothing else
};

class Runs {
 public:
  Runs(const Store& store, const RunsRequest& request)
      : store_(for_lists(store)), has_ring_(!request.store.keys.empty()), shows_errors_(request.errors),
        shows_parts_(request.parts) {}

  // Returns the runs whose state begins so.
  Result<std::vector<RunLine>> read(const std::string& state) {
    constexpr std::size_t kPage = 500;
    std::vector<RunLine> out;
    std::string after;
    for (std::size_t count = kPage; count == kPage;) {
      auto page = store_.runs(after, kPage);
      if (!page) return std::move(page).error();
      count = page->size();
      if (after.empty() && count < kPage) chains_.take_all(*page);
      const QueuedRuns queued = queued_of(*page);
      for (StoredRunInfo& info : *page) {
        after = info.id;
        if (is_no_run(info.id) || (!shows_parts_ && chains_.is_part(info.id))) continue;
        RunLine line = line_of(std::move(info));
        if (line.refusal && is_of_other_tenant(*line.refusal)) continue;
        const auto at = queued.find(line.info.id);
        if (at != queued.end() && line.state != "copy") line.queued = at->second;
        // A run that no worker has begun yet.
        if (line.queued && line.state == "interrupted" && line.queued->attempts == 0) line.state = "queued";
        if (is_cancelled(line)) line.state = "cancelled", line.waits_for = doubt_keys(store_, line.info.id);
        const bool is_wanted = line.state.starts_with(state) || (line.queued && line.queued->state.starts_with(state));
        if (!is_wanted) continue;
        if (shows_errors_ && !line.refusal) line.errors = errors_of(line.info.id);
        out.push_back(std::move(line));
      }
    }
    return out;
  }

 private:
  // Whether a log is beside the logs of runs.
  bool is_no_run(const std::string& log) const {
    return is_log_of_tools(store_, log) || log.starts_with(kIdentityLog) || loop::is_log_of_rates(store_, log);
  }
  using QueuedRuns = std::map<std::string, QueuedRunStatus>;
  QueuedRuns queued_of(const std::vector<StoredRunInfo>& page) const {
    std::vector<std::string> ids;
    for (const StoredRunInfo& info : page) ids.push_back(info.id);
    QueuedRuns out;
    auto read = queued_runs(store_, ids);
    if (!read) return out;   // a store without queues
    for (QueuedRunStatus& status : *read) out.insert_or_assign(status.run, std::move(status));
    return out;
  }

  RunLine line_of(StoredRunInfo info) {
    RunLine line{std::move(info), {}, {}, {}, {}};
    if (auto refusal = refusal_of(line.info.id)) {
      line.state = refused_state(*refusal);
      line.refusal = std::move(refusal);
      return line;
    }
    // A run that goes on or goes away meanwhile has nothing to show but its state.
    const auto read = store_.detail(line.info.id);
    const StoredDetail detail = read ? *read : StoredDetail();
    if (detail.is_copy) return line.state = "copy", line;   // pulled for reading; its job is elsewhere
    std::string reason;
    switch (line.info.state) {
      case StoredState::Ended: tell_end(line, detail); break;
      case StoredState::Running:
        line.state = line.info.is_interrupted ? "interrupted" : "running";
        if (line.info.is_interrupted) tell_of_chain(line);
        if (line.info.is_interrupted && line.info.owner.empty()) tell_of_conversation(line);
        break;
      case StoredState::Parked:
        if (!detail.end_status.empty()) return tell_end(line, detail), line;   // a prompt between two programs
        reason = reason_left(store_, line.info.id);
        line.state = line.info.is_woken     ? "woken"
                     : !reason.empty()     ? "failed " + reason
                     : is_in_doubt(detail) ? "in doubt"
                     : is_due(line)        ? "due"
                                           : "waiting";
        tell_waits(line, detail.waits_for);
        break;
      case StoredState::Moving:
      case StoredState::Moved:
        line.state = (line.info.state == StoredState::Moving ? "moving to " : "moved to ") + detail.moved_to;
        break;
    }
    return line;
  }

  static void tell_end(RunLine& line, const StoredDetail& detail) {
    line.state = "ended" + (detail.end_status.empty() ? "" : ' ' + detail.end_status);
    if (!detail.is_in_doubt) return;
    line.state = "in doubt";                       // a call of a turn that was cancelled
    line.waits_for = with_blanks(detail.waits_for);
  }

  // Given up while nobody executed it: its log has no end.
  static bool is_cancelled(const RunLine& line) {
    const StoredState state = line.info.state;
    return line.queued && line.queued->is_cancelled && line.queued->state == "dead" &&
           (state == StoredState::Running || state == StoredState::Parked);
  }

  // The log of a task says that the task is under way, also while it waits for a person.
  void tell_of_chain(RunLine& line) {
    const auto wait = chains_.wait_of(line.info.id);
    if (!wait) return;
    line.state = wait->is_in_doubt ? "in doubt" : "waiting";
    line.waits_for = wait->names;
  }

  // Nobody holds a conversation between two commands: it waits for a person or for a fact.
  void tell_of_conversation(RunLine& line) const {
    const auto is_one = is_conversation(store_, line.info.id);
    if (!is_one || !*is_one) return;
    const auto conversation = harness::Conversation::open(HostLog::of(store_, line.info.id));
    if (!conversation) return;
    const harness::ConversationView& view = conversation->view();
    const std::string_view status = harness::waits_for(view, {});
    if (status == "idle" || status == "turn" || status == "over") {
      line.state = status == "over" ? "over" : "idle";
      return;
    }
    const bool is_of_program = status == "waiting";
    line.state = is_of_program && view.may_resume()                     ? "woken"
                 : is_of_program && !view.due_timers(now_ms_).empty() ? "due"
                                                                        : "waiting";
    line.waits_for = names_in(view);
  }

  static std::string names_in(const harness::ConversationView& view) {
    std::vector<std::string> names;
    for (const harness::Sending& sending : harness::sends_in_flight(view)) {
      names.push_back("settle:" + sending.compose_id);
    }
    for (const std::string& draft : view.unsent_drafts()) {
      if (view.draft(draft)->in_flight.empty()) names.push_back("approve:" + draft);
    }
    const harness::Fact* const question = view.question_to_answer();
    if (question != nullptr) names.emplace_back(harness::text_of(question->body, "qid"));
    if (names.empty() && view.given_up() != nullptr) names.emplace_back("whisper");
    if (names.empty() && view.parked_pass()) {
      constexpr std::string_view kTimer = "timer_fired/", kAnswer = "user_answer/";
      for (const std::string& signal : view.parked_pass()->waits) {
        const std::size_t begin = signal.starts_with(kAnswer) ? kAnswer.size() : 0;
        if (!signal.starts_with(kTimer)) names.push_back(signal.substr(begin));
      }
    }
    return with_blanks(names);
  }

  static bool is_in_doubt(const StoredDetail& detail) {
    return detail.is_in_doubt || !agent_doubts(detail.waits_for).empty();
  }
  bool is_due(const RunLine& line) const { return line.info.deadline_ms && *line.info.deadline_ms <= now_ms_; }

  static std::string with_blanks(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out.append(out.empty() ? "" : " ").append(name);
    return out;
  }

  // Signals are shown by their names, and what an agent, a task or a conversation waits for by the names with which its
  // commands answer it. All else is shown as the store names it.
  void tell_waits(RunLine& line, const std::vector<std::string>& keys) const {
    constexpr std::string_view kAnswer = "answer/", kLetter = "mail/";
    if (keys.empty()) return;
    const std::string& run = line.info.id;
    const auto journal = store_.journal(run, JournalExtent::Notable);
    const auto first = HostLog::of(store_, run).read(0, 1);
    const bool is_of_host = first && !first->empty() && first->front().is_of_host;
    std::vector<std::string> names;
    for (const std::string& key : keys) {
      const auto signal = journal ? awaited_signal(*journal, key) : std::nullopt;
      if (is_of_host && key.starts_with(kLetter)) continue;   // whatever is said wakes it
      const bool is_answer = is_of_host && key.starts_with(kAnswer);
      names.push_back(is_answer ? key.substr(kAnswer.size()) : signal.value_or(key));
    }
    line.waits_for = with_blanks(names);
    line.sleeps = keys.size() == 1 && journal && is_sleep(*journal, keys[0]);
  }

  static bool is_sleep(const RunJournal& journal, const std::string& operation) {
    const auto found = std::ranges::find(journal.operations, operation, &JournalOperation::id);
    return found != journal.operations.end() && found->tool == "sleep";
  }

  // The calls of a task are in the log of its steps.
  std::vector<CallErrors> errors_of(const std::string& run) {
    std::vector<CallErrors> out;
    const bool is_task = !shows_parts_ && chains_.is_task(run);
    const auto journal = store_.journal(is_task ? run + "/steps" : run, JournalExtent::Whole);
    if (!journal) return out;
    for (const JournalCall& call : journal->calls) {
      if (!call.errors.empty()) out.push_back({call.key, call.tool, call.errors});
    }
    return out;
  }

  // Checks the seal of a log, when there is a ring.
  std::optional<Error> refusal_of(const std::string& run) const {
    if (!has_ring_) return std::nullopt;
    const auto first = HostLog::of(store_, run).read(0, 1);   // checks the whole log
    const auto parked = first ? HostLog::of(store_, run).parked() : Result<std::optional<HostParked>>(first.error());
    return parked ? std::nullopt : std::optional(parked.error());
  }

  const Store store_;
  const bool has_ring_, shows_errors_, shows_parts_;
  ChainRows chains_{store_};
  const std::int64_t now_ms_ = now_millis();
};

void append_errors(std::string& out, const std::vector<CallErrors>& errors) {
  if (errors.empty()) return;
  out += ",\"errors\":[";
  for (const CallErrors& each : errors) {
    out += out.back() == '[' ? "{\"call\":" : ",{\"call\":";
    ptc::append_json_string(out, each.key);
    ptc::append_json_member(out, "tool", each.tool);
    ptc::append_json_member(out, "text", each.text);
    out += '}';
  }
  out += ']';
}

void write_line_of_json(const RunLine& line) {
  std::string out = "{\"id\":";
  ptc::append_json_string(out, line.info.id);
  out += ",\"state\":";
  ptc::append_json_string(out, line.state);
  out += ",\"facts\":" + std::to_string(line.info.facts);
  out += ",\"started_ms\":" + std::to_string(line.info.started_ms);
  out += ",\"changed_ms\":" + std::to_string(line.info.changed_ms);
  out += ",\"deadline_ms\":" + (line.info.deadline_ms ? std::to_string(*line.info.deadline_ms) : "null");
  out += ",\"waits_for\":";
  ptc::append_json_string(out, line.waits_for);
  out += ",\"owner\":";
  ptc::append_json_string(out, line.info.owner);
  if (line.queued) {
    ptc::append_json_member(out, "queue", line.queued->queue);
    ptc::append_json_member(out, "queue_state", line.queued->state);
    ptc::append_json_member(out, "tenant", line.queued->tenant);
    ptc::append_json_member(out, "priority", std::int64_t{line.queued->priority});
    ptc::append_json_member(out, "attempts", std::int64_t{line.queued->attempts});
    ptc::append_json_member(out, "reason", line.queued->reason);
    out += std::string(",\"cancelled\":") + (line.queued->is_cancelled ? "true" : "false");
  }
  append_errors(out, line.errors);
  std::cout << out << "}\n";
}

std::string queue_text(const RunLine& line) {
  if (!line.queued) return "";
  const std::string& why = line.queued->reason;
  return line.queued->queue + ": " + line.queued->state + (why.empty() ? "" : " (" + cut_text(why, 60) + ')');
}

int list(const RunsRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const auto lines = Runs(command.store(), request).read(request.state);
  if (!lines) return complain_of_store(lines.error());
  status = kSuccess;
  for (const RunLine& line : *lines) {
    if (line.refusal) status = complain_of_store(*line.refusal);
  }
  if (request.json) {
    for (const RunLine& line : *lines) write_line_of_json(line);
    return status;
  }
  const std::int64_t now = now_millis();
  const bool has_queues = std::ranges::any_of(*lines, [](const RunLine& line) { return line.queued.has_value(); });
  std::vector<std::vector<std::string>> rows = {{"ID", "STATE", "FACTS", "CHANGED", "WAITS FOR"}};
  if (has_queues) rows[0].insert(rows[0].begin() + 2, "QUEUE");
  for (const RunLine& line : *lines) {
    const bool is_time = line.sleeps && line.info.deadline_ms;
    rows.push_back({line.info.id, line.state, std::to_string(line.info.facts),
                    distance_text(line.info.changed_ms, now),
                    is_time ? moment_text(*line.info.deadline_ms, now) : line.waits_for});
    if (has_queues) rows.back().insert(rows.back().begin() + 2, queue_text(line));
  }
  if (lines->empty()) std::cerr << "no runs\n";
  if (!lines->empty()) std::cout << text_table(rows);
  for (const RunLine& line : *lines) {
    for (const CallErrors& each : line.errors) {
      std::cout << '\n' << line.info.id << ": the call " << each.key << " wrote to its standard error:\n"
                << tool_error_lines(each.tool, each.text);
    }
  }
  return status;
}

}  // namespace

void add_runs_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("runs", "List the runs of a store and their states");
  auto request = std::make_shared<RunsRequest>();
  declare_sealed_store(*command, request->store);
  command->add_option("--state", request->state, "Only those in this state, or whose state begins so")
      ->check(CLI::Validator(state_problem, ""));
  command->add_flag("--json", request->json, "A line of JSON for each");
  command->add_flag("--parts", request->parts, "Also the logs of which tasks of chains consist, each as a run");
  command->add_flag("--errors", request->errors, "Also what tools wrote to their standard error, by calls");
  command->footer(kRunsExamples);
  add_runs_parts(*command, status);
  add_runs_moves(*command, status);
  // The parser calls this for a command below, too, after that one.
  command->callback([command, request, &status] {
    if (command->get_subcommands().empty()) status = list(*request);
  });
}

}  // namespace ptcvm::cli
