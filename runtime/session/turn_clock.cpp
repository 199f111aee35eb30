#include "runtime/session/turn_clock.h"

#include <string>

#include "runtime/calls/short_sleep.h"
#include "runtime/engine/clock.h"

namespace ptc {

using Clock = std::chrono::steady_clock;

std::uint64_t micros_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
}

void TurnClock::tell_program() {
  run_.set_clock(now_ ? *now_ : options_.fixed_clock_millis.value_or(system_millis()));
}

void TurnClock::begin_compiling() { step_began_ = Clock::now(); }

bool TurnClock::is_over_while_compiling() const {
  const std::int64_t timeout_ms = options_.limits.timeout_ms;
  return is_cancelled() ||
         (timeout_ms != 0 && micros_since(step_began_) >= static_cast<std::uint64_t>(timeout_ms) * 1'000);
}

void TurnClock::end_compiling() { compiling_micros_ = micros_since(step_began_); }

void TurnClock::begin_turn() { run_.add_active_micros(std::exchange(compiling_micros_, 0)); }

void TurnClock::begin_step() {
  step_began_ = Clock::now();
  step_deadline_ = deadline();
}

void TurnClock::end_step() {
  const Clock::time_point now = Clock::now();
  const auto spent = now - step_began_ + uncounted_;
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(spent);
  run_.add_active_micros(static_cast<std::uint64_t>(micros.count()));
  uncounted_ = spent - micros;
  step_began_ = now;
}

std::optional<Deadline> TurnClock::deadline() const {
  if (options_.is_out_of_time) return Clock::now();
  const std::int64_t timeout_ms = options_.limits.timeout_ms;
  if (timeout_ms == 0) return std::nullopt;
  return Clock::now() + std::chrono::milliseconds(timeout_ms) - std::chrono::microseconds(run_.active_micros());
}

bool TurnClock::is_stopped() const {
  const std::optional<Deadline> end = deadline();
  return is_cancelled() || (end && Clock::now() >= *end);
}

TurnStop TurnClock::reason_to_stop() const {
  if (is_cancelled()) return {FaultKind::Cancelled, "the program was stopped"};
  return {FaultKind::Timeout, "execution exceeded " + std::to_string(options_.limits.timeout_ms) + "ms limit"};
}

bool TurnClock::is_over() const {
  return is_cancelled() || (step_deadline_ && Clock::now() >= *step_deadline_);
}

bool TurnClock::stop_if_over() {
  if (!is_over()) return false;
  TurnStop why = reason_to_stop();
  run_.cancel(why.kind, std::move(why.message));
  return true;
}

void TurnClock::wait_until(Deadline due) const {
  while (Clock::now() < due && !is_over()) sleep_shortly(due - Clock::now());
}

}  // namespace ptc
