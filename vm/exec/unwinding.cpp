// Ending a fiber in the middle of its work: every register that FrameStates calls owned is released, frame by frame.
#include "vm/exec/fiber_tree.h"

#include "vm/exec/frame_states.h"

namespace ptc {

// The top frame of a fiber that parked or faulted is at the instruction that did not finish, except after a tool call:
// then, and in every frame below, the instruction before pc is a call, and nothing from its window on is this frame's.
void FiberTree::unwind(Fiber& fiber) {
  std::uint32_t limit = UINT32_MAX;
  if (fiber.state == Fiber::State::WaitsForTool) limit = fiber.result_slot;
  while (!fiber.frames.empty()) {
    const Frame& frame = fiber.frames.back();
    Value* const registers = frame.base;
    const std::uint32_t first = fiber.index_of(registers);
    if (frame.kind == Frame::Kind::Stepper) {
      for (std::uint32_t k = 0; k < frame.slot_count; ++k) heap().release(registers[k]);
    } else {
      const auto& prototype = *static_cast<const Prototype*>(frame.closure->function);
      std::uint32_t pc = static_cast<std::uint32_t>(frame.pc - prototype.code.data());
      if (limit != UINT32_MAX) --pc;
      const RegState* before = prototype.states().before(pc);
      for (std::uint32_t k = 0; before != nullptr && k < prototype.register_count; ++k) {
        if (is_owned(before[k]) && first + k < limit) heap().release(registers[k]);
      }
    }
    limit = first - 1;
    if (frame.owns_callee()) heap().release(fiber.stack[limit]);
    fiber.frames.pop_back();
  }
  has_closed_task_ |= !fiber.open_tasks.empty();
  while (!fiber.open_tasks.empty()) close_task(fiber, fiber.open_tasks.size() - 1);
}

}  // namespace ptc
