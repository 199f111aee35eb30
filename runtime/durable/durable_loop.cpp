// run_durably(): the loop around a durable run whose tools are all called in one thread.
#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/durable/durable_run.h"

namespace ptc {
namespace {

// Sleeps until the next attempt of a call is due, or for a moment, so that somebody can stop the run meanwhile.
void pause(const DurableRun& run) {
  constexpr std::int64_t kLookMs = 20;
  const auto due = run.next_attempt_ms();
  const std::int64_t left = due ? std::clamp<std::int64_t>(*due - run.now(), 0, kLookMs) : kLookMs;
  std::this_thread::sleep_for(std::chrono::milliseconds(left));
}

}  // namespace

DurableOutcome run_durably(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
                           const DurableOptions& options) {
  DurableOptions own = options;
  own.most_in_flight = 1;
  const std::shared_ptr<const ToolRegistry> shared(std::shared_ptr<void>(), &tools);
  DurableRun run(engine, store, shared, std::string(source), std::move(own));
  for (;;) {
    switch (run.step()) {
      case DurableStep::Done: return run.outcome();
      case DurableStep::Yielded: break;
      case DurableStep::Waits:
        if (run.calls().empty()) {
          pause(run);
        } else {
          run.make(run.calls().begin()->first);
        }
        break;
    }
  }
}

}  // namespace ptc
