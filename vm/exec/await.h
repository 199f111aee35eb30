// The steppers that wait for operations: await, await-all, await-any, await-settled, sleep, await-signal and the wait
// of an auto tool's call.
//
// The whole wait lies in the frame's slots: what it waits for, until when. A fiber in state WaitsForOperations has such
// a frame on top, in stage kAwaitWait. wake() makes it ready when its condition holds on the visible side of the
// operations, which only ever grows, or when its deadline has passed; then the frame goes on from its slots, and knows
// by its stage which of the two it was. Waiting costs no fuel, so a program uses the same whether an answer was there
// or not.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "vm/builtins/operations.h"
#include "vm/exec/fiber_tree.h"
#include "vm/exec/run_core.h"
#include "vm/exec/run_operations.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/pending.h"
#include "vm/value/vector.h"

namespace ptc {

// What an await's frame holds: the arguments, then its own slots (stepper_slots.h).
struct AwaitSlots {
  Value* args;
  std::uint32_t arg_count;
  Value& own(AwaitSlot slot) const { return args[arg_count + slot]; }
};

inline AwaitSlots await_slots(const Fiber& fiber) {
  const Frame& frame = fiber.frames.back();
  return {frame.base, frame.slot_count - kStepperSlots};
}

inline bool has_failed(const Operation& operation) { return operation.status != Operation::Status::Ok; }

// Calls visit(index, target, operation) for each target; the operation is null for a plain value.
template <class Visit>
void each_target(const Operations& operations, Value targets, const Visit& visit) {
  const bool several = targets.is_vector();
  const std::uint32_t count = several ? vector_count(targets) : 1;
  for (std::uint32_t k = 0; k < count; ++k) {
    const Value target = several ? vector_at(targets, k) : targets;
    visit(k, target, target.is(Tag::Pending) ? operations.find(pending_id_of(target)) : nullptr);
  }
}

class Waits {
 public:
  Waits(RunCore& core, FiberTree& fibers, RunOperations& run_operations)
      : core_(core), fibers_(fibers), run_operations_(run_operations) {}

  CallResult step(Fiber& fiber);                        // the await on top of the fiber
  bool deliver();                                       // a suspension point: what arrived becomes visible
  void resume();                                        // the same when a suspended run is asked again: time passes
  bool any() const;                                     // a fiber waits, and probes do not count
  // Returns in fiber order what the fibers wait for, each operation once, and the earliest time at which one ends.
  std::vector<AwaitedOperation> awaited() const;
  std::optional<std::int64_t> next_deadline() const;

  std::uint32_t suspensions() const { return suspensions_; }   // counts the suspensions of this turn
  void count_suspension() { ++suspensions_; }
  void set_suspensions(std::uint32_t count) { suspensions_ = count; }

 private:
  bool start(Fiber& fiber);                             // checks the arguments, fills in the slots
  bool read_options(Fiber& fiber);
  Value handle_for(Value borrowed, BuiltinId form);         // a handle of a known operation, or Absent: fault raised
  Value handles_for(Value borrowed, BuiltinId form);
  Value start_sleep(Fiber& fiber, Value milliseconds);
  Value start_signal(Fiber& fiber, Value name);
  bool is_short_enough(std::string_view signal);        // false: a fault is raised
  bool holds(const Fiber& fiber) const;
  void wake(Fiber& fiber, bool time_passed);            // makes fibers ready whose wait is over
  void collect(const Fiber& fiber, std::vector<AwaitedOperation>& out) const;

  // Returns what a wait gives (await_results.cpp), or Absent when a fault is raised.
  CallResult finish(Fiber& fiber);
  CallResult finish_late(Fiber& fiber);
  Value result(Fiber& fiber);
  Value values(const AwaitSlots& slots);
  Value settled_values(const AwaitSlots& slots);
  Value winner(Fiber& fiber, const Operation* first);
  void cancel_losers(Value targets);
  bool raise_settlement(const Operation& operation);

  Heap& heap() const { return core_.heap(); }
  Environment& env() const { return core_.env(); }
  Operations& operations() const { return core_.env().operations; }

  RunCore& core_;
  FiberTree& fibers_;
  RunOperations& run_operations_;
  std::uint32_t suspensions_ = 0;
};

}  // namespace ptc
