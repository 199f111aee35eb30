// The loop around a durable run whose tools are all called in one thread.
#include <chrono>

#include "runtime/calls/short_sleep.h"
#include "runtime/durable/durable_run.h"

namespace ptc {
namespace {

// Sleeps until the next attempt of a call is due, or for a moment, so that somebody can stop the run meanwhile.
void pause(const DurableRun& run) {
  const auto due = run.next_attempt_ms();
  sleep_shortly(due ? std::chrono::milliseconds(*due - run.now()) : std::chrono::nanoseconds::max());
}

}  // namespace

void drive(DurableRun& run) {
  for (;;) {
    switch (run.step()) {
      case DurableStep::Done: return;
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

DurableOutcome run_durably(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
                           const DurableOptions& options) {
  DurableOptions own = options;
  own.most_in_flight = 1;
  const std::shared_ptr<const ToolRegistry> shared(std::shared_ptr<void>(), &tools);
  DurableRun run(engine, store, shared, std::string(source), std::move(own));
  drive(run);
  return run.outcome();
}

}  // namespace ptc
