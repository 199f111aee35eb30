#include <chrono>
#include <random>
#include <thread>

#include "ptcvm/crash_kit.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::crash {
namespace {

using Random = std::mt19937_64;

// Waits until a call that failed may be made again.
void sleep_until_due(const StoredRun& run, const StoredOptions& options) {
  const auto due_ms = run.wake_time_ms();
  if (due_ms) std::this_thread::sleep_for(std::chrono::milliseconds(*due_ms - options.clock()));
}

// Makes one call after another. Each time the dice decide whether the program sees the answers so far first.
Result<void> make_some(StoredRun& run, Random& random) {
  for (auto calls = run.calls(); !calls.empty(); calls = run.calls()) {
    const std::uint64_t call = calls[random() % calls.size()].id;
    if (auto made = run.make(call); !made) return made;
    if (random() % 2 == 0) break;
  }
  return {};
}

Result<StoredOutcome> drive(StoredRun run, const StoredOptions& options, Random random) {
  for (;;) {
    const auto step = run.step();
    if (!step) return step.error();
    if (*step == StoredStep::Done) return run.take_outcome();
    if (run.calls().empty()) {
      sleep_until_due(run, options);
    } else if (auto made = make_some(run, random); !made) {
      return std::move(made).error();
    }
  }
}

}  // namespace

Drive stepping(std::size_t calls_in_flight, std::uint64_t seed) {
  return [calls_in_flight, seed](const Engine& engine, Store& store, const Tools& tools, std::string_view source,
                                 const StoredOptions& options) -> Result<StoredOutcome> {
    const auto log = store.log_json(options.id);
    if (!log) return log.error();
    StoredOptions wanted = options;
    wanted.parallel_calls = calls_in_flight;
    auto run = StoredRun::start(engine, store, tools, source, wanted);
    if (!run) return std::move(run).error();
    return drive(std::move(*run), options, Random(seed + log->size()));
  };
}

}  // namespace ptcvm::crash
