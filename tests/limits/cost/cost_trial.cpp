#include "limits/cost/cost_trial.h"

#include <algorithm>
#include <ctime>

#include "limits/cost/allocated_bytes.h"
#include "runtime/session/session.h"
#include "schema/fault_kind.h"

namespace ptc::test {
namespace {

constexpr std::uint64_t kJournalBytes = 4u << 20;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

Cost cost_of(std::string_view source, std::uint64_t fuel) {
  SessionOptions options;
  options.limits.fuel = fuel;
  options.limits.memory_bytes = kTrialMemoryBytes;
  options.limits.timeout_ms = kTrialMillis;
  options.limits.loop = UINT32_MAX;
  Cost out;
  const std::uint64_t before = allocated_bytes();
  forget_peak();
  const double start = thread_seconds();
  {
    const Engine engine;      // a fresh one: what an engine keeps must be paid for by somebody
    Session session(engine, options);
    session.journal().enable();
    const Outcome outcome = session.turn(source);
    static_cast<void>(session.journal().edn(kJournalBytes));   // written back, as the command line does
    out.fuel = outcome.fuel;
    out.counted_bytes = outcome.peak_bytes;
    out.end = outcome.status == OutcomeStatus::Error ? std::string(fault_name(outcome.fault.kind))
                                                     : std::string(outcome_status_name(outcome.status));
    out.is_refused = outcome.status == OutcomeStatus::Error && outcome.fuel == 0;
  }
  out.seconds = thread_seconds() - start;
  out.taken_bytes = allocated_bytes_peak() - before;
  return out;
}

double seconds_of_addition() {
  constexpr std::uint64_t kFuel = 20'000'000;
  double least = 1;
  for (int i = 0; i < 5; ++i) {
    const Cost cost = cost_of("(loop [i 0] (if (< i 5000000) (recur (+ i 1)) i))", kFuel);
    least = std::min(least, cost.seconds / static_cast<double>(cost.fuel));
  }
  return least;
}

}  // namespace ptc::test
