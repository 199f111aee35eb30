// run_stored() and continue_stored(): small loops over StoredRun, with the tools called in one thread.
#include <algorithm>
#include <chrono>
#include <thread>

#include "api/errors.h"
#include "ptcvm/stored_run.hpp"
#include "runtime/engine/clock.h"

namespace ptcvm {
namespace {

std::optional<Error> deferred_tool(const Tools& tools) {
  for (const ToolInfo& tool : tools.list()) {
    if (!tool.deferred) continue;
    return host_error(Errc::not_available, "tool " + tool.name +
                                               " is deferred: step the run yourself (StoredRun) and answer its calls, "
                                               "or use ToolMode::Async and resolve the operation");
  }
  return std::nullopt;
}

// Sleeps until the next attempt of a call is due, or for a moment, so that somebody can cancel the run meanwhile.
void pause_until(std::optional<std::int64_t> due_ms, const StoredOptions& options) {
  constexpr std::int64_t kLookMs = 20;
  const std::int64_t now = options.clock ? options.clock() : ptc::system_millis();
  const std::int64_t left = due_ms ? std::clamp<std::int64_t>(*due_ms - now, 0, kLookMs) : kLookMs;
  std::this_thread::sleep_for(std::chrono::milliseconds(left));
}

Result<StoredOutcome> drive(StoredRun& run, const StoredOptions& options) {
  for (;;) {
    const Result<StoredStep> step = run.step();
    if (!step) return step.error();
    if (*step == StoredStep::Done) return run.take_outcome();
    if (*step == StoredStep::Yielded) continue;
    const std::vector<WaitingCall> calls = run.calls();
    if (calls.empty()) {
      pause_until(run.wake_time_ms(), options);
    } else if (auto made = run.make(calls.front().id); !made) {
      return std::move(made).error();
    }
  }
}

// An intent is in the log for no call but the one that is made: a process that dies leaves one call open at most.
StoredOptions one_by_one(StoredOptions options) {
  options.parallel_calls = 1;
  return options;
}

}  // namespace

Result<StoredOutcome> run_stored(const Engine& engine, Store& store, const Tools& tools, std::string_view source,
                                 const StoredOptions& options) {
  if (auto error = deferred_tool(tools)) return std::move(*error);
  auto run = StoredRun::start(engine, store, tools, source, one_by_one(options));
  if (!run) return std::move(run).error();
  return drive(*run, options);
}

Result<StoredOutcome> continue_stored(const Engine& engine, Store& store, const Tools& tools,
                                      const StoredOptions& options) {
  if (auto error = deferred_tool(tools)) return std::move(*error);
  auto run = StoredRun::open(engine, store, tools, one_by_one(options));
  if (!run) return std::move(run).error();
  return drive(*run, options);
}

}  // namespace ptcvm
