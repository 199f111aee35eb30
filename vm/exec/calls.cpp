#include "vm/exec/calls.h"

#include <algorithm>
#include <cstring>

#include "vm/builtins/call.h"
#include "vm/builtins/hidden_arguments.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

std::string arguments_text(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

std::string closure_arity_text(const Prototype& prototype, std::uint32_t got) {
  std::string text = prototype.name.empty() ? "fn" : prototype.name;
  if (prototype.name.empty() && !prototype.spans.empty()) {
    const SourceSpan at = prototype.spans.front().span;
    text += " at " + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  text += prototype.variadic ? " expects at least " : " expects ";
  return text + arguments_text(prototype.required_count) + ", got " + std::to_string(got);
}

std::string builtin_arity_text(const BuiltinInfo& info, std::uint32_t got) {
  std::string text(info.name);
  if (info.max_args == kVariadic) {
    text += " expects at least " + arguments_text(static_cast<std::uint32_t>(info.min_args));
  } else if (info.min_args == info.max_args) {
    text += " expects " + arguments_text(static_cast<std::uint32_t>(info.min_args));
  } else {
    text += " expects " + std::to_string(info.min_args) + " to " +
            arguments_text(static_cast<std::uint32_t>(info.max_args));
  }
  return text + ", got " + std::to_string(got);
}

}  // namespace

bool Calls::make_room_for_callee(Fiber& fiber, std::uint32_t base, std::uint32_t registers) {
  if (!fibers_.make_room(fiber, base, registers)) return false;
  pass_call(fiber);
  return true;
}

CallResult Calls::call_closure(Fiber& fiber, const Closure* closure, std::uint32_t window,
                                          std::uint32_t count, bool owns_callee) {
  const auto& prototype = *static_cast<const Prototype*>(closure->function);
  const bool fits = prototype.variadic ? count >= prototype.required_count : count == prototype.required_count;
  if (!fits) {
    core_.raise(FaultKind::ArityError, closure_arity_text(prototype, count));
    return CallResult::Faulted;
  }
  const bool is_direct = count == prototype.direct_args;
  const std::uint32_t extra = count - prototype.required_count;
  if (extra > kFlatVectorMax && !heap().can_allocate(vector_bytes(extra))) {
    core_.raise_memory();
    return CallResult::Faulted;
  }
  const Instruction* const entry = is_direct ? prototype.direct_entry : prototype.code.data();
  if (!make_room_for_callee(fiber, window + 1, prototype.register_count)) return CallResult::Faulted;
  Value* const base = fiber.stack + window + 1;
  fiber.frames.push() = Frame::bytecode(entry, closure, base, owns_callee);
  if (!is_direct) {   // variadic
    Value* rest = base + prototype.required_count;
    *rest = vector_of(heap(), {rest, extra});
    core_.charge(extra / 8);
  }
  return CallResult::Pushed;
}

CallResult Calls::call_builtin(Fiber& fiber, BuiltinId id, std::uint32_t window, std::uint32_t count,
                                          bool owns_callee) {
  const BuiltinInfo& info = builtin_info(id);
  if (!accepts(info, count)) {
    core_.raise(FaultKind::ArityError, builtin_arity_text(info, count));
    return CallResult::Faulted;
  }
  if (info.kind == BuiltinKind::Plain) {
    Value* args = fiber.stack + window + 1;
    if (info.category == BuiltinCategory::Hidden && !hidden_arguments_fit(id, {args, count})) {
      core_.raise(FaultKind::BadProgram, std::string(info.name) + ": arguments that only wrong code gives");
      return CallResult::Faulted;
    }
    Call call(env(), id, {args, count});
    const Value value = plain_builtin(id)(call);
    core_.charge_debt();
    if (value.is_absent()) {
      core_.raise_parked();
      return CallResult::Faulted;
    }
    for (std::uint32_t k = 0; k < count; ++k) heap().release(args[k]);
    fiber.stack[window] = value;
    return CallResult::Done;
  }
  if (info.kind == BuiltinKind::Prelude) {
    const Closure* closure = links_.prelude_function(id);
    if (closure == nullptr) {
      core_.raise(FaultKind::BadProgram, "the prelude does not define " + std::string(info.name));
      return CallResult::Faulted;
    }
    return call_closure(fiber, closure, window, count, owns_callee);
  }
  if (id == BuiltinId::apply) return apply(fiber, window, count);
  constexpr std::uint32_t kMostArguments = UINT16_MAX / 2;   // slot_count has 16 bits
  const bool forks = id == BuiltinId::pcalls;
  const std::uint32_t most = forks ? std::min(core_.limits().parallel_branches, kMostArguments) : kMostArguments;
  if (count > most) {
    core_.raise(FaultKind::ParallelCapacityExceeded, std::string(info.name) + " of " + std::to_string(count) +
                                                         (forks ? " branches" : " arguments") + ", at most " +
                                                         std::to_string(most));
    return CallResult::Faulted;
  }
  if (!make_room_for_callee(fiber, window + 1, count + kStepperSlots + kStepperRoom)) return CallResult::Faulted;
  Value* const slots = fiber.stack + window + 1;
  std::fill_n(slots + count, kStepperSlots, Value::nil());
  fiber.frames.push() = Frame::stepper(id, slots, count + kStepperSlots, 0, owns_callee);
  return CallResult::Pushed;
}

// (apply f a b coll): the arguments are spread out and f is called in the same window; no frame of its own.
CallResult Calls::apply(Fiber& fiber, std::uint32_t window, std::uint32_t count) {
  Value* args = fiber.stack + window + 1;
  Value last = args[count - 1];
  if (!last.is_vector()) {
    args[count - 1] = Value::nil();
    const Value sequence = core_.sequence_of("apply", count, last);
    if (sequence.is_absent()) return CallResult::Faulted;
    args[count - 1] = last = sequence;
  }
  const std::uint32_t spread = vector_count(last);
  const std::uint64_t registers = window + std::uint64_t{count} + spread;
  if (registers > fiber.stack_size && !fibers_.grow_stack(fiber, registers)) return CallResult::Faulted;
  const std::uint32_t total = count - 2 + spread;
  core_.charge(spread / 8);
  args = fiber.stack + window + 1;
  const Value callee = args[0];
  for (std::uint32_t k = 0; k + 2 < count; ++k) args[k] = args[k + 1];
  for (std::uint32_t k = 0; k < spread; ++k) args[count - 2 + k] = vector_get(last, k);
  heap().release(last);
  fiber.stack[window] = callee;
  const CallResult called = call_value(fiber, window, total);
  if (called == CallResult::Faulted) {
    for (std::uint32_t k = 0; k <= total; ++k) heap().release(fiber.stack[window + k]);
    for (std::uint32_t k = 0; k <= count; ++k) fiber.stack[window + k] = Value::nil();
  }
  return called;
}

CallResult Calls::call_tool_value(Fiber& fiber, std::uint32_t window, std::uint32_t count) {
  const Value tool = fiber.stack[window];
  Value* args = fiber.stack + window + 1;
  const Value checked = tool_calls_.arguments(tool, args, count);
  if (checked.is_absent()) return CallResult::Faulted;
  if (window + 2 > fiber.stack_size && !fibers_.grow_stack(fiber, window + 2)) {
    heap().release(checked);
    return CallResult::Faulted;
  }
  args = fiber.stack + window + 1;
  for (std::uint32_t k = 0; k < count; ++k) {
    heap().release(args[k]);
    args[k] = Value::nil();
  }
  args[0] = checked;
  const CallResult called = tool_calls_.call(fiber, tool.keyword, window);
  if (called == CallResult::Faulted && count == 0) {
    heap().release(checked);
    args[0] = Value::nil();
  }
  return called;
}

CallResult Calls::call_value(Fiber& fiber, std::uint32_t window, std::uint32_t count) {
  const Value callee = fiber.stack[window];
  Value* args = fiber.stack + window + 1;
  // Data in head position is a lookup by the builtin `get`; its arguments are put into the order that `get` wants.
  const auto look_up = [&](Value where, Value key, FaultKind wrong_count, std::uint32_t max,
                           std::string_view what) -> CallResult {
    if (count < 1 || count > max) {
      core_.raise(wrong_count, std::string(what) +
                                   (max == 1 ? " expects 1 argument, got " : " expects 1 or 2 arguments, got ") +
                                   std::to_string(count));
      return CallResult::Faulted;
    }
    Value get_args[3] = {retained(where), retained(key), count == 2 ? retained(args[1]) : Value::nil()};
    Call call(env(), BuiltinId::get, {get_args, count + 1});
    const Value value = plain_builtin(BuiltinId::get)(call);
    for (const Value& arg : get_args) heap().release(arg);
    core_.charge_debt();
    if (value.is_absent()) {
      core_.raise_parked();
      return CallResult::Faulted;
    }
    for (std::uint32_t k = 0; k < count; ++k) heap().release(args[k]);
    heap().release(callee);
    fiber.stack[window] = value;
    return CallResult::Done;
  };
  switch (callee.tag) {
    case Tag::Closure: {
      return call_closure(fiber, static_cast<const Closure*>(callee.object), window, count, true);
    }
    case Tag::Builtin: return call_builtin(fiber, callee.builtin(), window, count, false);
    case Tag::Keyword:
      if (count >= 1 && !args[0].is_map() && !args[0].is(Tag::Pending)) {   // a field of no map: nil or the default
        if (count <= 2) {
          const Value value = count == 2 ? retained(args[1]) : Value::nil();
          for (std::uint32_t k = 0; k < count; ++k) heap().release(args[k]);
          fiber.stack[window] = value;
          return CallResult::Done;
        }
      }
      return look_up(count >= 1 ? args[0] : Value::nil(), callee, FaultKind::InvalidKeywordCall, 2, "keyword");
    case Tag::Map:
      return look_up(callee, count >= 1 ? args[0] : Value::nil(), FaultKind::InvalidMapCall, 2, "map");
    case Tag::Set: return look_up(callee, count >= 1 ? args[0] : Value::nil(), FaultKind::ArityError, 1, "set");
    case Tag::Vector:
      if (count >= 1 && !args[0].is_integer()) {
        core_.raise_about(args[0], FaultKind::TypeError,
                          "a vector is called with an index, got " + std::string(kind_text(args[0])),
                          "a path is followed by (get-in x path)");
        return CallResult::Faulted;
      }
      return look_up(callee, count >= 1 ? args[0] : Value::nil(), FaultKind::ArityError, 2, "vector");
    case Tag::Tool: return call_tool_value(fiber, window, count);
    default: {
      if (callee.is(Tag::Pending)) {
        core_.raise(FaultKind::TypeError, "a pending operation is not callable; use (await …)");
        return CallResult::Faulted;
      }
      std::string text;
      append_readable(text, callee, heap(), {80, nullptr});
      core_.raise(FaultKind::NotCallable, callee.is_nil() ? "nil is not callable" : "not callable: " + text);
      return CallResult::Faulted;
    }
  }
}

CallResult Calls::call_from_stepper(Fiber& fiber, Value callee, std::span<const Value> args) {
  const Frame& frame = fiber.frames.back();
  const std::uint32_t window = fiber.index_of(frame.base) + frame.slot_count;
  const std::uint32_t count = static_cast<std::uint32_t>(args.size());
  const std::uint32_t end = window + count + 1;
  if (end > fiber.stack_size && !fibers_.grow_stack(fiber, end)) return CallResult::Faulted;
  fiber.stack[window] = retained(callee);
  for (std::uint32_t k = 0; k < count; ++k) fiber.stack[window + 1 + k] = retained(args[k]);
  const CallResult called = call_value(fiber, window, count);
  if (called == CallResult::Faulted) {
    for (std::uint32_t k = 0; k <= count; ++k) heap().release(fiber.stack[window + k]);
  }
  return called;
}

}  // namespace ptc
