// The interpreter loop.
//
// Rules
//  1. Handlers keep only trivially destructible locals.
//  2. Anything that may push a frame or grow the stack ends with GOTO_RELOAD: base, code and constants may have moved.
//  3. A safe point tests one counter (fuel). When it is used up, or garbage waits (Heap::fuel_floor), nothing of the
//     instruction has happened yet and pc points at it.
//  4. An instruction that faults leaves its operands in place, or nil where it already gave one up: unwinding releases
//     what FrameStates says was alive before the instruction.
//  5. What the loop shares with others is read through core_ where it is used: a local reference to the heap would take
//     a register from what every instruction needs.
//  6. Values are copied as two words (operator= of Value); operands are read as fields, registers as base + offset.
#include "vm/exec/interpreter.h"

#include <utility>

#include "vm/builtins/call.h"
#include "vm/exec/fused.h"
#include "vm/exec/register_words.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

#if !defined(PTC_DISPATCH_SWITCH) && (defined(__GNUC__) || defined(__clang__))
#define PTC_COMPUTED_GOTO 1
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

namespace ptc {

#include "vm/exec/handler_macros.inc"

ExitReason Interpreter::interpret(Fiber& fiber) {
  running_ = &fiber;   // looked up where it is needed: registers are for what every instruction needs
#ifdef PTC_COMPUTED_GOTO
  static const void* const kLabels[] = {
#define OP(name, ...) &&op_##name,
#include "schema/opcodes.def"
#undef OP
#define FUSED(name, condition, ...) &&op_##name,
#include "vm/exec/fused.def"
#undef FUSED
  };
#endif
  const Instruction* pc = nullptr;
  Value* base = nullptr;
  const Value* constants = nullptr;
  Link* link = nullptr;
  Frame* top = nullptr;            // of running_->frames
  std::int64_t fuel = core_.fuel_left();
  CallResult called{};
  Value returned{};
  const Frame* frame_limit = nullptr;
  const Value* stack_end = nullptr;
  if (running_->frames.empty()) {   // a branch that is only a tool call, which has its answer
    running_->result = running_->stack[0];
    return ExitReason::Finished;
  }

reload : {
  top = &running_->frames.back();
  if (top->kind == Frame::Kind::Stepper) goto run_stepper;
  base = top->base;
  pc = top->pc;
  frame_limit = running_->frames.limit();
  stack_end = running_->stack_end;
  RELINK(top->closure);
}
  GOTO_NEXT_UNCHECKED;

#ifndef PTC_COMPUTED_GOTO
#define OP(name, ...) if constexpr (false) goto op_##name;   // a row without a handler does not compile
#include "schema/opcodes.def"
#undef OP
dispatch:
  ++pc;
  switch (static_cast<std::uint8_t>(INSN.op)) {   // fused ones have no name in Op
#endif

#include "vm/exec/value_handlers.inc"
#include "vm/exec/arithmetic_handlers.inc"
#include "vm/exec/jump_handlers.inc"
#include "vm/exec/call_handlers.inc"
#include "vm/exec/collection_handlers.inc"
#include "vm/exec/fused_handlers.inc"
#ifndef PTC_COMPUTED_GOTO
  }
#endif

end_frame: {   // with that value: its callee was its own, or its caller is another program's, or anyone
  const std::uint8_t ending = top->ending;
  if ((ending & Frame::kOwnsCallee) != 0) core_.heap().release(base[-1]);
  put(base[-1], returned);
  if ((ending & Frame::kAnyCaller) == 0) {
    base = reinterpret_cast<Value*>(reinterpret_cast<char*>(base - 1) - top->offset);
    --top;
    pc = top->pc;
    RELINK(top->closure);
    GOTO_NEXT_UNCHECKED;
  }
  --top;
  TELL();
  if (running_->frames.empty()) {
    running_->result = returned;
    return ExitReason::Finished;
  }
}
  GOTO_RELOAD();

after_own_window:
  if (called == CallResult::Faulted) {   // the window's own slot is dead for these instructions
    Value& slot = reg(running_->frames.back().base, INSN.a);
    core_.heap().release(slot);
    slot = Value::nil();
  }
after_call:
  fuel = core_.fuel_left();
  if (called != CallResult::Done) goto not_done;
  top = &running_->frames.back();
  base = top->base;
  stack_end = running_->stack_end;
  GOTO_OUT_OF_MEMORY_IF_OVER_LIMIT();
  GOTO_NEXT_UNCHECKED;

run_stepper:
  TELL();
  called = step_stepper(*running_);
  fuel = core_.fuel_left();
  if (called == CallResult::Done && running_->frames.empty()) {   // its frame is gone and its result delivered
    running_->result = running_->stack[0];
    return ExitReason::Finished;
  }

not_done:
  if (called == CallResult::Faulted) return ExitReason::Faulted;
  if (called == CallResult::Parked) {
    if (running_->state != Fiber::State::WaitsForOperations || !core_.heap().over_limit()) return ExitReason::Parked;
    running_->state = Fiber::State::Ready;   // what it would wait for was too much
  } else if (!core_.heap().over_limit()) [[likely]] {   // else a callee was made, or the vector of its last parameter
    GOTO_RELOAD();
  }
  core_.raise_memory();
  return ExitReason::Faulted;

loop_limit:
  core_.raise(FaultKind::LoopLimitExceeded,
              "Loop iteration limit exceeded (" + std::to_string(core_.limits().loop) + " iterations)",
              "use reduce or map over a finite sequence instead, or split the work across smaller loops");
  RETURN_FAULTED();

out_of_memory:
  top->pc = pc;   // the instruction is complete: the next one never starts
  TELL();
  core_.raise_memory();
  return ExitReason::Faulted;
}

void Interpreter::end_turn_with(Fiber& fiber, Value taken, ExitReason reason) {
  core_.set_result(taken);
  if (reason == ExitReason::Returned) parts_.tasks.commit_open(fiber, taken);
}

CallResult Interpreter::step_stepper(Fiber& fiber) {
  switch (fiber.frames.back().builtin) {
    case BuiltinId::sort:
    case BuiltinId::sort_by: return parts_.sorting.step(fiber);
    case BuiltinId::pmap:
    case BuiltinId::pcalls: return parts_.branches.step(fiber);
    case BuiltinId::await:
    case BuiltinId::await_all:
    case BuiltinId::await_any:
    case BuiltinId::await_settled:
    case BuiltinId::await_signal:
    case BuiltinId::sleep:
    case BuiltinId::h_await_call: return parts_.waits.step(fiber);
    default: core_.raise(FaultKind::BadProgram, "not a stepper"); return CallResult::Faulted;
  }
}

}  // namespace ptc
