#include "tools/ptcvm/worker/worker.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "agents/loop/rate_limits.h"
#include "ptcvm/queues.hpp"
#include "ptcvm/run_moves.hpp"
#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/calls/kept_tools.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/program/durable_command.h"
#include "tools/ptcvm/program/snapshot_tools.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/store/waits_text.h"
#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {
namespace {

constexpr auto kLookPause = std::chrono::milliseconds(100);     // how often the store is asked
constexpr std::int64_t kWorkerLeaseMs = std::int64_t{24} * 3600 * 1000;
constexpr std::size_t kPage = 500;

// Prints of a program, with the name of its run.
class PrintReporter : public Observer {
 public:
  Verdict on_event(const Event& event) override {
    if (event.kind != EventKind::Print) return Verdict::Continue;
    std::string line(event.run_id);
    line.append(": ").append(event.text).append("\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
    return Verdict::Continue;
  }
};

std::string ended_state(const Outcome& outcome) {
  switch (outcome.state) {
    case RunState::Completed: return "ended ok";
    case RunState::Returned: return "ended return";
    case RunState::Failed: return outcome.diagnostic ? "ended error" : "ended fail";
    case RunState::Suspended:
    case RunState::Yielded: break;
  }
  return "waiting";
}

std::string keys_of(const std::vector<StoredWait>& waits) {
  std::string out;
  for (const StoredWait& wait : waits) out.append(out.empty() ? "" : " ").append(wait.key);
  return out;
}

WorkedRun worked(const std::string& id, const StoredOutcome& done) {
  switch (done.end) {
    case StoredEnd::Ended:
    case StoredEnd::EndedBefore: {
      const auto& fault = done.outcome.diagnostic;
      return {id, ended_state(done.outcome), fault ? fault->kind + ": " + fault->message : done.value_edn};
    }
    case StoredEnd::Suspended: return {id, "waiting", waits_text(done.pending)};
    case StoredEnd::InDoubt: break;
  }
  return {id, "in doubt", keys_of(done.doubts)};
}

}  // namespace

Result<void> StoreWorker::work() {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < setup_.jobs; ++i) threads.emplace_back([this] { work_in_thread(); });
  for (std::thread& thread : threads) thread.join();
  return failure_ ? Result<void>(*failure_) : Result<void>();
}

void StoreWorker::work_in_thread() {
  std::string message;
  CommandTools tools;                            // processes that stay belong to one thread
  if (!add_tools(tools, setup_.tools, message)) return;   // the command has added the same tools before
  while (!ending_.load()) {
    const auto id = next_run();
    if (id) {
      if (!take_run(*id, tools)) return;
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (failure_ || (setup_.once && queue_.empty() && working_.empty())) return;
    // A run that is being stepped may wake another one.
  }
}

// Returns a run to step, after a pause when there is none.
std::optional<std::string> StoreWorker::next_run() {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() && !failure_) {
      if (const auto found = find_runs(); !found) failure_ = found.error();
    }
    if (!queue_.empty() && !failure_) {
      std::string id = std::move(queue_.back());
      queue_.pop_back();
      working_.insert(id);
      return id;
    }
    if (failure_ || (setup_.once && working_.empty())) return std::nullopt;
  }
  std::this_thread::sleep_for(kLookPause);
  return std::nullopt;
}

// Lists the runs that can go on: the last one in the queue is the first one of the store.
Result<void> StoreWorker::find_runs() {
  const std::int64_t now = now_millis();
  std::string after;
  for (std::size_t count = kPage; count == kPage;) {
    const auto page = store_.runs(after, kPage);
    if (!page) return page.error();
    count = page->size();
    for (const StoredRunInfo& info : *page) {
      after = info.id;
      const bool is_due = info.deadline_ms && *info.deadline_ms <= now;
      const bool is_ready = (info.state == StoredState::Parked && (info.is_woken || is_due)) ||
                            (info.state == StoredState::Running && info.is_interrupted);
      if (is_ready) offer(info);
    }
  }
  std::ranges::reverse(queue_);
  return {};
}

// Returns whether a queue has the run, or the run whose part this is ("RUN/…").
bool StoreWorker::is_of_queue(std::string run) const {
  for (;;) {
    if (const auto queued = queued_run(store_, run); queued && *queued) return true;
    const std::size_t slash = run.rfind('/');
    if (slash == std::string::npos || slash == 0) return false;
    run.resize(slash);
  }
}

// Returns whether a log is one that the store keeps beside the logs of runs.
bool StoreWorker::is_no_run(const std::string& log) const {
  return is_log_of_tools(store_, log) || log.starts_with(kIdentityLog) || loop::is_log_of_rates(store_, log);
}

void StoreWorker::offer(const StoredRunInfo& info) {
  const auto vain = in_vain_.find(info.id);
  if (working_.contains(info.id) || (vain != in_vain_.end() && vain->second == info.facts)) return;
  if (is_no_run(info.id)) return;
  if (is_of_queue(info.id)) return;              // workers of queues have it
  if (chains_.is_part(info.id)) return;          // the command that goes on with the task has it
  if (chains_.is_task(info.id)) return leave_task(info);
  queue_.push_back(info.id);
}

// Says once which command goes on with a task of a chain.
void StoreWorker::leave_task(const StoredRunInfo& info) {
  in_vain_[info.id] = info.facts;
  const std::string words = setup_.store_words + " --id " + shell_quoted(info.id);
  const auto wait = chains_.wait_of(info.id);
  std::string text = "note: " + info.id + " is a task, and ptcvm work leaves it alone: ";
  if (wait) {
    const std::string first = wait->names.substr(0, wait->names.find(' '));
    text += "it waits for " + wait->names + ", and `ptcvm chain answer " + words + ' ' + shell_quoted(first) +
            (wait->is_in_doubt ? " --happened JSON" : " yes") + "` answers and goes on with it";
  } else {
    text += "the command that began it goes on with it: `ptcvm chain run TASK " + words + "`";
  }
  complain(text);
}

// Steps a run and says what became of it. Returns false when the store has failed.
bool StoreWorker::take_run(const std::string& id, CommandTools& tools) {
  bool is_busy = false;
  const WorkedRun done = step(id, tools, is_busy);
  const auto info = store_.find(id);
  const std::lock_guard lock(mutex_);
  working_.erase(id);
  // A run that waits goes on when its time has come, with the facts that it has.
  if (is_busy || done.state != "waiting") in_vain_[id] = info && *info ? (*info)->facts : 0;
  if (is_busy) return true;                      // another process has it
  report_(done);
  if (done.state != "store failed") return true;
  failure_ = info ? Error{Errc::store_failed, done.what, std::nullopt, "store_io"} : info.error();
  return false;
}

// The error wrong_state: a log of an agent, a chain or a conversation is no run of a program.
Result<StoredOutcome> StoreWorker::executed(const std::string& id, const CommandTools& tools) {
  PrintReporter reporter;
  StoredOptions options;
  options.id = id;
  options.lease_ms = kWorkerLeaseMs;
  options.observer = &reporter;
  options.parallel_calls = setup_.options.parallel_tools;
  options.reads_value = false;
  options.resets_need_reasons = setup_.strict_resets;
  options.most_limits = setup_.options.limits.bounds();
  auto run = StoredRun::open(engine_, store_, tools.tools, options);
  if (!run) return run.error();
  std::string message;
  if (!warn_of_changed_tools(store_, id, tools, message)) return Error{Errc::store_failed, message, std::nullopt};
  CommandCalls commands(tools, setup_.options.parallel_tools, &cancelled_);
  return run_with_commands(*run, commands);
}

WorkedRun StoreWorker::step(const std::string& id, CommandTools& tools, bool& is_busy) {
  Result<StoredOutcome> done = executed(id, tools);
  std::string missing;
  if (!done && may_lack_tools(done.error())) {
    CommandTools own = tools;                    // other runs have no use for the tools of this one
    own.tools = tools.tools.wrapped([](ToolCall&, const std::function<ToolReply()>& next) { return next(); });
    ParkedTools parked = add_parked_tools(engine_, store_, id, own);
    missing = std::move(parked.missing);
    if (parked.is_any_added) done = executed(id, own);
  }
  if (done) return worked(id, *done);
  const Error& error = done.error();
  is_busy = error.code == Errc::busy || error.code == Errc::wrong_state;
  if (error.code == Errc::store_failed) return {id, "store failed", error.message};
  return {id, "refused", message_of_store(error) + missing, error.code == Errc::seal_refused};
}

}  // namespace ptcvm::cli
