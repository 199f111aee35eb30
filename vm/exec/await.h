// What the two halves of await share: await.cpp (waiting) and await_results.cpp (what a wait comes to).
#pragma once
#include "vm/builtins/operations.h"
#include "vm/exec/fiber.h"
#include "vm/exec/run_impl.h"
#include "vm/value/pending.h"
#include "vm/value/vector.h"

namespace ptc {

// Of an await's frame: the arguments, then its own slots (stepper_slots.h).
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

}  // namespace ptc
