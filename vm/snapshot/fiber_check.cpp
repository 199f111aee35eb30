#include "vm/snapshot/fiber_check.h"

#include "vm/exec/machine_state.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

bool fits(RegState state, Value value, Value before) {
  switch (state) {
    case RegState::Dead: return false;
    case RegState::Immediate: return is_visible(value) && !value.is_heap();
    case RegState::Owned: return is_visible(value);
    case RegState::Iterator: return value.is_vector();
    case RegState::Position:
      return value.is_int() && value.i >= 0 && before.is_vector() && value.i <= std::int64_t{vector_count(before)};
    case RegState::Counter: return value.is_int() && value.i >= 0;   // the host's limit cuts it down
  }
  return false;
}

}  // namespace

bool FiberCheck::wrong(std::string_view why) {
  if (problem.empty()) problem = why;
  return false;
}

bool FiberCheck::run() {
  if (!whole()) return false;
  plans.reserve(fiber_.frames.size());
  for (std::size_t k = 0; k < fiber_.frames.size(); ++k) {
    const FrameState& frame = fiber_.frames[k];
    const bool on_top = k + 1 == fiber_.frames.size();
    const bool good = frame.kind == Frame::Kind::Stepper ? stepper(frame, on_top) : bytecode(frame, on_top, k == 0);
    if (good) continue;
    problem = "frame " + std::to_string(k) + ": " + problem;
    return false;
  }
  result_slot = Fiber::is_inside_call(fiber_.state) ? window_ : 0;
  return true;
}

// What must hold of the fiber as a whole.
bool FiberCheck::whole() {
  const std::uint32_t depth = run_.limits().depth;
  if (fiber_.frames.size() > depth) return wrong("more frames than the depth limit");
  if (fiber_.frame_capacity < fiber_.frames.size()) return wrong("more frames than there is room for");
  if (fiber_.stack_size > kMostRegisters) return wrong("stack too large");
  const std::uint64_t bytes = std::uint64_t{fiber_.stack_size} * sizeof(Value) +
                              std::uint64_t{std::min(fiber_.frame_capacity, depth)} * sizeof(Frame);
  if (!run_.heap().can_allocate(bytes)) return wrong("more stack than the memory limit");

  const bool over = fiber_.state == Fiber::State::Finished || fiber_.state == Fiber::State::Faulted;
  if (over && !fiber_.frames.empty()) return wrong("frames of a branch that is over");
  if (is_main_ && fiber_.frames.empty()) return wrong("a program without frames");
  const bool has_answer = fiber_.frames.empty() && fiber_.state == Fiber::State::Ready;
  if (!over && !has_answer && !fiber_.result.is_nil()) return wrong("a result before the end");
  if (!is_visible(fiber_.result)) return wrong("no result");
  if (fiber_.frames.empty() && !over) {   // a branch that is only a tool call
    if (!has_answer && !Fiber::is_inside_call(fiber_.state)) return wrong("no frames");
    if (fiber_.stack_size == 0) return wrong("no stack");
  }
  for (const ToolRecordData& record : fiber_.records) {
    if (!record.args.is_map()) return wrong("a tool call without arguments");
  }
  if (fiber_.state == Fiber::State::WaitsForTool) {
    if (fiber_.records.empty()) return wrong("a tool request without its call");
    if (!fiber_.records.back().result.is_absent()) return wrong("a tool request that was answered");
    const bool is_named = run_.heap().find_interned(fiber_.records.back().tool) != nullptr;
    if (!is_named) return wrong("a tool that nothing names");
    if (in_probe_) {
      if (fiber_.request_id != 0 || fiber_.records.back().key.empty()) return wrong("a tool request of a probe");
    } else if (fiber_.request_id == 0 || fiber_.request_id >= state_.next_request) {
      return wrong("unknown tool request");
    }
  }
  return true;
}

bool FiberCheck::stepper(const FrameState& frame, bool on_top) {
  if (frame.owns_callee) return wrong("a builtin that owns its callee");
  const bool answered = on_top && fiber_.state == Fiber::State::Ready &&
                        stepper_awaits_result(frame.builtin, frame.stage);
  const bool has_result_slot = answered || (on_top && Fiber::is_inside_call(fiber_.state));
  const std::uint64_t end = std::uint64_t{window_} + 1 + frame.slot_count + (has_result_slot ? 1 : 0);
  if (end > fiber_.stack_size) return wrong("slots beyond the stack");
  if (frame.value_count != frame.slot_count + (answered ? 1u : 0u)) return wrong("another number of slots");
  for (std::uint32_t k = 0; k < frame.value_count; ++k) {
    if (!is_visible(value(frame, k))) return wrong("a slot without a value");
  }
  const Value* const slots = frame.value_count == 0 ? nullptr : &value(frame, 0);
  if (std::string why = check_stepper(frame, slots, fiber_, context_, on_top); !why.empty()) return wrong(why);
  plans.push_back({window_ + 1, 0, nullptr});
  window_ += 1 + frame.slot_count;
  return true;
}

bool FiberCheck::bytecode(const FrameState& frame, bool on_top, bool at_bottom) {
  if (!frame.closure.is(Tag::Closure)) return wrong("no function");
  const auto* closure = static_cast<const Closure*>(frame.closure.object);
  const auto& prototype = *static_cast<const Prototype*>(closure->function);
  const auto* link = static_cast<const Link*>(closure->link);
  if (prototype.index != frame.function || link != &run_.links()[frame.link]) return wrong("another function");
  if (!keeps_closure(frame, at_bottom)) return wrong("a function that nothing keeps alive");
  if (frame.pc >= prototype.code.size()) return wrong("program counter beyond the code");
  const std::uint32_t base = window_ + 1;
  if (std::uint64_t{base} + prototype.register_count > fiber_.stack_size) return wrong("registers beyond the stack");

  std::uint32_t limit = prototype.register_count;
  std::uint32_t pc = frame.pc;
  if (!on_top || Fiber::is_inside_call(fiber_.state)) {
    if (pc == 0) return wrong("program counter that is after no call");
    const Instruction call = as_compiled(prototype.code[--pc]);
    if (op_info(call.op).control != Control::Call) return wrong("program counter that is after no call");
    limit = call.a;
    window_ = base + call.a;
  } else if (fiber_.state == Fiber::State::WaitsForTask && prototype.code[pc].op != Op::TaskStart) {
    return wrong("waits for a task where none starts");
  } else if (fiber_.state != Fiber::State::Ready && fiber_.state != Fiber::State::WaitsForTask) {
    return wrong("a function where a builtin waits");
  }
  const RegState* const states = prototype.states().before(pc);
  if (states == nullptr) return wrong("program counter that is never reached");
  plans.push_back({base, limit, states});
  return registers(frame, states, limit);
}

// Callers own the functions they call, except those that are called by name or belong to the engine.
bool FiberCheck::keeps_closure(const FrameState& frame, bool at_bottom) const {
  const auto* closure = static_cast<const Closure*>(frame.closure.object);
  if (at_bottom && is_main_) return !frame.owns_callee && closure == run_.links()[state_.running].entry;
  if (frame.owns_callee) return true;
  if (static_cast<const Prototype*>(closure->function)->index == 0) return false;
  return context_.kept_closures.contains(closure) || context_.kept_by_branches.contains(closure);
}

bool FiberCheck::registers(const FrameState& frame, const RegState* states, std::uint32_t limit) {
  std::uint32_t next = 0;
  for (std::uint32_t reg = 0; reg < limit; ++reg) {
    if (states[reg] == RegState::Dead) continue;
    if (next == frame.value_count) return wrong("too few registers");
    const Value before = next > 0 ? value(frame, next - 1) : Value::nil();
    if (!fits(states[reg], value(frame, next), before)) {
      return wrong("register " + std::to_string(reg) + " holds the wrong kind of value");
    }
    ++next;
  }
  return next == frame.value_count || wrong("too many registers");
}

}  // namespace ptc
