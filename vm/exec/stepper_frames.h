// What all builtins with a frame of their own share: ending, and the registers above their slots.
#pragma once
#include "vm/exec/fiber.h"
#include "vm/value/heap.h"

namespace ptc {

// Ends the stepper on top of the fiber with that value.
inline CallResult finish_stepper(Heap& heap, Fiber& fiber, Value taken) {
  const Frame frame = fiber.frames.back();
  for (std::uint32_t k = 0; k < frame.slot_count; ++k) heap.release(frame.base[k]);
  if (frame.owns_callee()) heap.release(frame.base[-1]);
  frame.base[-1] = taken;
  fiber.frames.pop_back();
  return CallResult::Done;
}

// Returns the result of the call that the stepper on top made; the stepper takes it over.
inline Value take_stepper_result(const Fiber& fiber) {
  const Frame& frame = fiber.frames.back();
  return frame.base[frame.slot_count];
}

}  // namespace ptc
