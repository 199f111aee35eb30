// A run behind its handle, and what was lent out of it: lists that were looked at, the diagnostic, the event that was
// taken last. What is lent dies with the next step at the latest.
#pragma once
#include <deque>

#include "api/c/handles.h"
#include "api/c/tools.h"
#include "ptcvm/run.hpp"

namespace ptcvm::c {

constexpr std::uint64_t kEventSlice = 2'000;   // fuel between two looks at the queue: what may go beyond its capacity

// An event that waits, with everything in it owned.
struct HeldEvent {
  Event event;                                     // its texts and views look into what follows
  std::string name, id, task, operation, text, error, status, path, stack, found;
  Value args, value;
};

// The bounded queue of events. It never loses one: it makes the run pause instead.
class EventQueue final : public Observer {
 public:
  EventQueue(std::size_t capacity, bool wants_forms, bool pauses_at_calls)
      : capacity_(capacity), wants_forms_(wants_forms), pauses_at_calls_(pauses_at_calls) {}

  Verdict on_event(const Event& event) override;
  bool wants_forms() const override { return wants_forms_; }
  bool is_full() const { return events_.size() >= capacity_; }
  bool pauses_at_calls() const { return pauses_at_calls_; }   // the run of the queue does (RunOptions)
  std::unique_ptr<HeldEvent> take();               // null: none waits

 private:
  const std::size_t capacity_;
  const bool wants_forms_, pauses_at_calls_;
  std::deque<std::unique_ptr<HeldEvent>> events_;
};
std::unique_ptr<EventQueue> event_queue(std::size_t capacity, int32_t wants_forms, int32_t pauses_at_calls = 0);
// Moves the oldest event of the queue to `taken` and shows it. Returns 0 when no event waits, or there is no queue.
int32_t next_event(EventQueue* queue, std::unique_ptr<HeldEvent>& taken, ptcvm_event* out);
std::unique_ptr<ptcvm_buffer> event_line(const HeldEvent* taken);

Limits limits_in(const ptcvm_limits* limits);
ptcvm_limits limits_out(const Limits& from);
RunOptions run_options(const ptcvm_run_options& given, EventQueue* events);
RestoreOptions restore_options(const ptcvm_restore_options& given, EventQueue* events);
ptcvm_usage usage_out(const Usage& usage);
ptcvm_waiting_call call_out(const WaitingCall& call);

}  // namespace ptcvm::c

struct ptcvm_run {
  std::unique_ptr<ptcvm::c::EventQueue> events;    // called by the run: goes after it
  std::optional<ptcvm::Run> own;                   // empty in the run of a session
  ptcvm::Run* run = nullptr;
  bool is_stepping = false, is_broken = false;

  std::vector<ptcvm::WaitingCall> calls, questions;
  std::vector<ptcvm::PendingOperation> pending;
  std::vector<ptcvm::CallRecord> records;
  std::optional<ptcvm::Diagnostic> diagnostic;
  std::unique_ptr<ptcvm::c::HeldEvent> event;

  // PTCVM_NO_STATE for a run that must not be stepped. Throws nothing.
  ptcvm_state step(std::uint64_t fuel) noexcept;
  // Returns the run between two steps. Throws a Failure within a step, or when memory ran out in a step.
  ptcvm::Run& idle() const {
    if (is_stepping || is_broken) {
      throw ptcvm::c::Failure{{ptcvm::Errc::wrong_state, "the run is being stepped, or broken", {}}};
    }
    return *run;
  }
  // Returns whether nothing goes on before the host does something.
  bool waits() const { return !run->calls().empty() || run->wake_time_ms().has_value(); }

 private:
  ptcvm::RunState step_with_events(std::uint64_t fuel);
};
