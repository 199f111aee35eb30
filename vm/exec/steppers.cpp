// What stepper builtins share: calling guest code from C++ without nesting, and ending.
#include "vm/exec/run_impl.h"

namespace ptc {

RunImpl::CallResult RunImpl::step_stepper(Fiber& fiber) {
  switch (fiber.frames.back().builtin) {
    case BuiltinId::sort:
    case BuiltinId::sort_by: return step_sort(fiber);
    case BuiltinId::pmap:
    case BuiltinId::pcalls: return step_parallel(fiber);
    case BuiltinId::await:
    case BuiltinId::await_all:
    case BuiltinId::await_any:
    case BuiltinId::await_settled:
    case BuiltinId::await_signal:
    case BuiltinId::sleep:
    case BuiltinId::h_await_call: return step_await(fiber);
    default: raise(FaultKind::BadProgram, "not a stepper"); return CallResult::Faulted;
  }
}

RunImpl::CallResult RunImpl::finish_stepper(Fiber& fiber, Value taken) {
  const Frame frame = fiber.frames.back();
  for (std::uint32_t k = 0; k < frame.slot_count; ++k) heap.release(frame.base[k]);
  if (frame.owns_callee()) heap.release(frame.base[-1]);
  frame.base[-1] = taken;
  fiber.frames.pop_back();
  return CallResult::Done;
}

RunImpl::CallResult RunImpl::call_from_stepper(Fiber& fiber, Value callee, std::span<const Value> args) {
  const Frame& frame = fiber.frames.back();
  const std::uint32_t window = fiber.index_of(frame.base) + frame.slot_count;
  const std::uint32_t count = static_cast<std::uint32_t>(args.size());
  if (window + count + 1 > fiber.stack_size && !grow_stack(fiber, window + count + 1)) return CallResult::Faulted;
  fiber.stack[window] = retained(callee);
  for (std::uint32_t k = 0; k < count; ++k) fiber.stack[window + 1 + k] = retained(args[k]);
  const CallResult called = call_value(fiber, window, count);
  if (called == CallResult::Faulted) {
    for (std::uint32_t k = 0; k <= count; ++k) heap.release(fiber.stack[window + k]);
  }
  return called;
}

Value RunImpl::take_stepper_result(Fiber& fiber) {
  const Frame& frame = fiber.frames.back();
  return frame.base[frame.slot_count];
}

}  // namespace ptc
