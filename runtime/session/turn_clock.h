// The time of a turn: what the program takes for now, how long the turn may still run, and the flag with which its host
// cancels it. Only time in which the session steps, and time that the host reports, counts as time of the turn: a turn
// that waits does not age.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/calls/tools.h"
#include "runtime/session/session_options.h"
#include "vm/exec/run.h"
#include "vm/value/account.h"

namespace ptc {

// Returns the whole microseconds since `start`.
std::uint64_t micros_since(std::chrono::steady_clock::time_point start);

// Says why a turn is to stop: cancelled or timeout.
struct TurnStop {
  FaultKind kind{};
  std::string message;
};

class TurnClock {
 public:
  // Run and options must outlive the clock.
  TurnClock(Run& run, const SessionOptions& options) : run_(run), options_(options) {}

  void set_cancel_flag(const std::atomic<bool>* flag) { cancelled_ = flag; }   // not owned; may be null
  const std::atomic<bool>* cancel_flag() const { return cancelled_; }

  // Sets the time that the program sees from the next step on; nullopt takes the clock of the options or the system's.
  void set_given_time(std::optional<std::int64_t> now_millis) { now_ = now_millis; }
  std::optional<std::int64_t> given_time() const { return now_; }
  // Sets what the program takes for now until the next slice.
  void set_program_time(std::int64_t millis) { run_.set_clock(millis); }
  void tell_program();                                       // gives the program the time; call it before each slice

  // Compiling the program is a part of the time of its turn: call begin_turn() when the run has begun the turn.
  void begin_compiling();
  bool is_over_while_compiling() const;
  void end_compiling();
  void begin_turn();

  void begin_step();                                         // the time of the turn begins to run
  // Counts the time since begin_step(), or since the last call. A part of a microsecond counts with the next call, as
  // steps can be that short.
  void end_step();
  // Counts time that the host spent on calls of the turn as time of the turn.
  void add_active_micros(std::uint64_t micros) { run_.add_active_micros(micros); }

  // Returns when the turn has used up its time if nothing else runs until then; nullopt without a timeout.
  std::optional<Deadline> deadline() const;
  // Returns the deadline as it was when the step began: the one that tools of the step get.
  std::optional<Deadline> step_deadline() const { return step_deadline_; }
  // Returns whether the turn is to end without waiting for anything: it was cancelled, or its time is used up.
  bool is_stopped() const;
  // Returns whether the turn is to stop now, as its current step sees the time.
  bool is_over() const;
  // Cancels the run when the turn is to stop, and returns whether it did.
  bool stop_if_over();
  // Sleeps until `due`, or until the turn is to stop.
  void wait_until(Deadline due) const;
  // Returns the reason for a turn that is to stop.
  TurnStop reason_to_stop() const;

 private:
  bool is_cancelled() const { return cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed); }

  Run& run_;
  const SessionOptions& options_;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::optional<std::int64_t> now_;
  std::chrono::steady_clock::time_point step_began_;
  std::chrono::steady_clock::duration uncounted_{};          // less than a microsecond
  std::optional<Deadline> step_deadline_;
  std::uint64_t compiling_micros_ = 0;                       // what compiling the next program took
};

// Lets long work ask the clock as long as the watch lives: builtins of the run, and the session itself when it reads an
// answer or writes a result on this thread. What they take is in the account of the run.
class StepWatch final : public Patience {
 public:
  StepWatch(Run& run, TurnClock& clock) : run_(run), clock_(clock), account_(run.heap(), this) {
    run_.set_patience(this);
  }
  ~StepWatch() override { run_.set_patience(nullptr); }
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;
  // A run that is over is not cancelled: the cancelling would hit its next turn.
  bool is_over() override { return run_.in_turn() ? clock_.stop_if_over() : clock_.is_over(); }

 private:
  Run& run_;
  TurnClock& clock_;
  const AccountScope account_;
};

}  // namespace ptc
