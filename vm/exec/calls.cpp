// Calls of anything: closures push a frame, plain builtins run at once, data looks itself up, tools park the fiber.
//
// A window is [callee][arguments…] at an absolute register. When a call is Done the window's first register holds the
// result and the arguments are gone; when it is Faulted every register of the window still holds a value (or nil).
// The calling frame's pc is at the call instruction; it moves on when a callee was pushed or the fiber parked.
#include <algorithm>
#include <cstring>

#include "vm/builtins/call.h"
#include "vm/builtins/hidden_arguments.h"
#include "vm/exec/run_impl.h"
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

void RunImpl::pass_call(Fiber& fiber) {
  if (!fiber.frames.empty() && fiber.frames.back().kind == Frame::Kind::Bytecode) ++fiber.frames.back().pc;
}

bool RunImpl::grow_stack(Fiber& fiber, std::uint32_t registers) {
  std::uint64_t size = std::max<std::uint64_t>(registers, std::uint64_t{fiber.stack_size} * 2);
  if (!heap.can_allocate((size - fiber.stack_size) * sizeof(Value))) {
    size = registers;
    if (!heap.can_allocate((size - fiber.stack_size) * sizeof(Value))) return raise_memory();
  }
  auto* grown = static_cast<Value*>(std::calloc(size, sizeof(Value)));   // untouched pages cost nothing
  if (grown == nullptr) return raise_memory();
  if (fiber.stack_size != 0) std::memcpy(static_cast<void*>(grown), fiber.stack, fiber.stack_size * sizeof(Value));
  Value* const old = fiber.stack;
  heap.account(static_cast<std::int64_t>((size - fiber.stack_size) * sizeof(Value)));
  for (Frame& frame : fiber.frames.all()) frame.base = grown + fiber.index_of(frame.base);
  fiber.stack = grown;
  fiber.stack_size = static_cast<std::uint32_t>(size);
  fiber.stack_end = grown + size;
  std::free(old);
  return true;
}

bool RunImpl::make_room(Fiber& fiber, std::uint32_t base, std::uint32_t registers) {
  if (fiber.frames.full()) {
    const std::uint32_t before = fiber.frames.capacity();
    if (before < limits.depth && !heap.can_allocate(std::uint64_t{before} * sizeof(Frame))) return raise_memory();
    if (!fiber.frames.grow(limits.depth)) {
      return raise(FaultKind::RecursionLimitExceeded,
                   "calls are nested more than " + std::to_string(limits.depth) + " deep",
                   "use loop/recur, reduce or map instead of deep recursion");
    }
    heap.account(static_cast<std::int64_t>(std::uint64_t{fiber.frames.capacity() - before} * sizeof(Frame)));
  }
  return std::uint64_t{base} + registers <= fiber.stack_size || grow_stack(fiber, base + registers);
}

bool RunImpl::make_room_for_callee(Fiber& fiber, std::uint32_t base, std::uint32_t registers) {
  if (!make_room(fiber, base, registers)) return false;
  pass_call(fiber);
  return true;
}

RunImpl::CallResult RunImpl::call_closure(Fiber& fiber, const Closure* closure, std::uint32_t window,
                                          std::uint32_t count, bool owns_callee) {
  const auto& prototype = *static_cast<const Prototype*>(closure->function);
  const bool fits = prototype.variadic ? count >= prototype.required_count : count == prototype.required_count;
  if (!fits) {
    raise(FaultKind::ArityError, closure_arity_text(prototype, count));
    return CallResult::Faulted;
  }
  const bool is_direct = count == prototype.direct_args;
  const std::uint32_t extra = count - prototype.required_count;
  if (extra > kFlatVectorMax && !heap.can_allocate(vector_bytes(extra))) {
    raise_memory();
    return CallResult::Faulted;
  }
  const Instruction* const entry = is_direct ? prototype.direct_entry : prototype.code.data();
  if (!make_room_for_callee(fiber, window + 1, prototype.register_count)) return CallResult::Faulted;
  Value* const base = fiber.stack + window + 1;
  fiber.frames.push() = Frame::bytecode(entry, closure, base, owns_callee);
  if (!is_direct) {   // variadic
    Value* rest = base + prototype.required_count;
    *rest = vector_of(heap, {rest, extra});
    fuel_left -= extra / 8;
  }
  return CallResult::Pushed;
}

RunImpl::CallResult RunImpl::call_builtin(Fiber& fiber, BuiltinId id, std::uint32_t window, std::uint32_t count,
                                          bool owns_callee) {
  const BuiltinInfo& info = builtin_info(id);
  if (!accepts(info, count)) {
    raise(FaultKind::ArityError, builtin_arity_text(info, count));
    return CallResult::Faulted;
  }
  if (info.kind == BuiltinKind::Plain) {
    Value* args = fiber.stack + window + 1;
    if (info.category == BuiltinCategory::Hidden && !hidden_arguments_fit(id, {args, count})) {
      raise(FaultKind::BadProgram, std::string(info.name) + ": arguments that only wrong code gives");
      return CallResult::Faulted;
    }
    Call call(env, id, {args, count});
    const Value value = plain_builtin(id)(call);
    fuel_left -= static_cast<std::int64_t>(env.fuel_debt);
    env.fuel_debt = 0;
    if (value.is_absent()) {
      raise_parked();
      return CallResult::Faulted;
    }
    for (std::uint32_t k = 0; k < count; ++k) heap.release(args[k]);
    fiber.stack[window] = value;
    return CallResult::Done;
  }
  if (info.kind == BuiltinKind::Prelude) {
    const Closure* closure = prelude_closure(id);
    if (closure == nullptr) {
      raise(FaultKind::BadProgram, "the prelude does not define " + std::string(info.name));
      return CallResult::Faulted;
    }
    return call_closure(fiber, closure, window, count, owns_callee);
  }
  if (id == BuiltinId::apply) return apply(fiber, window, count);
  if (count > std::min<std::uint32_t>(limits.parallel_branches, UINT16_MAX / 2)) {   // slot_count has 16 bits
    raise(FaultKind::ParallelCapacityExceeded, std::string(info.name) + " of " + std::to_string(count) +
                                                   " branches, at most " + std::to_string(limits.parallel_branches));
    return CallResult::Faulted;
  }
  if (!make_room_for_callee(fiber, window + 1, count + kStepperSlots + kStepperRoom)) return CallResult::Faulted;
  Value* const slots = fiber.stack + window + 1;
  std::fill_n(slots + count, kStepperSlots, Value::nil());
  fiber.frames.push() = Frame::stepper(id, slots, count + kStepperSlots, 0, owns_callee);
  return CallResult::Pushed;
}

Value RunImpl::call_taking(BuiltinId id, std::span<Value> taken_args) {
  Call call(env, id, taken_args);
  const Value value = plain_builtin(id)(call);
  for (const Value& arg : taken_args) heap.release(arg);
  if (value.is_absent()) raise_parked();
  return value;
}

Value RunImpl::call_plain(BuiltinId id, std::span<Value> taken_args) {
  const Value value = call_taking(id, taken_args);
  fuel_left -= static_cast<std::int64_t>(env.fuel_debt);
  env.fuel_debt = 0;
  return value;
}

Value RunImpl::sequence_of(std::string_view function, std::uint32_t argument, Value taken) {
  Value args[3] = {string_of(heap, function), Value::integer(argument), taken};
  return call_plain(BuiltinId::h_seq, args);
}

// (apply f a b coll): the arguments are spread out and f is called in the same window; no frame of its own.
RunImpl::CallResult RunImpl::apply(Fiber& fiber, std::uint32_t window, std::uint32_t count) {
  Value* args = fiber.stack + window + 1;
  Value last = args[count - 1];
  if (!last.is_vector()) {
    args[count - 1] = Value::nil();
    const Value sequence = sequence_of("apply", count, last);
    if (sequence.is_absent()) return CallResult::Faulted;
    args[count - 1] = last = sequence;
  }
  const std::uint32_t spread = vector_count(last);
  const std::uint64_t registers = window + std::uint64_t{count} + spread;
  if (registers > UINT32_MAX) {
    raise_memory();
    return CallResult::Faulted;
  }
  const std::uint32_t total = count - 2 + spread;
  if (registers > fiber.stack_size && !grow_stack(fiber, static_cast<std::uint32_t>(registers))) {
    return CallResult::Faulted;
  }
  fuel_left -= spread / 8;
  args = fiber.stack + window + 1;
  const Value callee = args[0];
  for (std::uint32_t k = 0; k + 2 < count; ++k) args[k] = args[k + 1];
  for (std::uint32_t k = 0; k < spread; ++k) args[count - 2 + k] = vector_get(last, k);
  heap.release(last);
  fiber.stack[window] = callee;
  const CallResult called = call_value(fiber, window, total);
  if (called == CallResult::Faulted) {
    for (std::uint32_t k = 0; k <= total; ++k) heap.release(fiber.stack[window + k]);
    for (std::uint32_t k = 0; k <= count; ++k) fiber.stack[window + k] = Value::nil();
  }
  return called;
}

RunImpl::CallResult RunImpl::call_tool(Fiber& fiber, const Keyword* tool, std::uint32_t window) {
  const Value args = fiber.stack[window + 1];
  if (!args.is_map()) {
    raise(FaultKind::BadProgram, "a tool is called with something that is no map");
    return CallResult::Faulted;
  }
  if (probe_around(fiber) != nullptr) return probe_call(fiber, tool, window);
  std::string task_id;
  std::string path = call_path(fiber, task_id);
  const Operation* known = nullptr;
  if (!find_attachable(task_id, path, tool->name(), args, &known)) return CallResult::Faulted;
  std::string key = call_key(task_id, path);
  if (known != nullptr) return attach_call(fiber, *known, window, kept_key(fiber, key));
  fiber.state = Fiber::State::WaitsForTool;
  fiber.request_id = next_request++;
  fiber.result_slot = window;
  fiber.records.push_back({std::string(tool->name()), args, Value::absent(), {}, false, {}, kept_key(fiber, key)});
  pass_call(fiber);
  requests.push_back(request_of(fiber, std::move(task_id), std::move(path), std::move(key)));
  return CallResult::Parked;
}

// What the host is asked by a fiber that waits for a tool.
ToolRequest RunImpl::request_of(const Fiber& fiber, std::string task_id, std::string path, std::string key) const {
  const ToolRecordData& record = fiber.records.back();
  return {fiber.request_id, heap.find_interned(record.tool)->name(), record.args, user_span(fiber, nullptr),
          std::move(task_id), std::move(path), std::move(key)};
}

// Of a tool called as a function: one map, nothing, or keys and values. Borrows; Absent: a fault is raised.
Value RunImpl::tool_arguments(Value tool, const Value* args, std::uint32_t count) {
  if (count > 1 && count % 2 == 1) {
    raise(FaultKind::InvalidToolArgs, "tool/" + std::string(tool.keyword->name()) +
                                          " takes one map or keys and values, got " + std::to_string(count) +
                                          " arguments");
    return Value::absent();
  }
  Value map = count == 1 ? retained(args[0]) : map_empty(heap);
  for (std::uint32_t k = 0; k + 1 < count; k += 2) map = map_assoc(heap, map, retained(args[k]), retained(args[k + 1]));
  return call_plain(BuiltinId::h_tool_args, {&map, 1});
}

RunImpl::CallResult RunImpl::call_value(Fiber& fiber, std::uint32_t window, std::uint32_t count) {
  const Value callee = fiber.stack[window];
  Value* args = fiber.stack + window + 1;
  // Data in head position is a lookup by the builtin `get`; its arguments are put into the order that `get` wants.
  const auto look_up = [&](Value where, Value key, FaultKind wrong_count, std::uint32_t max,
                           std::string_view what) -> CallResult {
    if (count < 1 || count > max) {
      raise(wrong_count, std::string(what) +
                             (max == 1 ? " expects 1 argument, got " : " expects 1 or 2 arguments, got ") +
                             std::to_string(count));
      return CallResult::Faulted;
    }
    Value get_args[3] = {retained(where), retained(key), count == 2 ? retained(args[1]) : Value::nil()};
    Call call(env, BuiltinId::get, {get_args, count + 1});
    const Value value = plain_builtin(BuiltinId::get)(call);
    for (const Value& arg : get_args) heap.release(arg);
    fuel_left -= static_cast<std::int64_t>(env.fuel_debt);
    env.fuel_debt = 0;
    if (value.is_absent()) {
      raise_parked();
      return CallResult::Faulted;
    }
    for (std::uint32_t k = 0; k < count; ++k) heap.release(args[k]);
    heap.release(callee);
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
          for (std::uint32_t k = 0; k < count; ++k) heap.release(args[k]);
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
        raise(FaultKind::TypeError, "a vector is called with an index, got " + std::string(kind_text(args[0])),
              "a path is followed by (get-in x path)");
        return CallResult::Faulted;
      }
      return look_up(callee, count >= 1 ? args[0] : Value::nil(), FaultKind::ArityError, 2, "vector");
    case Tag::Tool: {
      const Value checked = tool_arguments(callee, args, count);
      if (checked.is_absent()) return CallResult::Faulted;
      if (window + 2 > fiber.stack_size && !grow_stack(fiber, window + 2)) {
        heap.release(checked);
        return CallResult::Faulted;
      }
      args = fiber.stack + window + 1;
      for (std::uint32_t k = 0; k < count; ++k) {
        heap.release(args[k]);
        args[k] = Value::nil();
      }
      args[0] = checked;
      const CallResult called = call_tool(fiber, callee.keyword, window);
      if (called == CallResult::Faulted && count == 0) {
        heap.release(checked);
        args[0] = Value::nil();
      }
      return called;
    }
    default: {
      if (callee.is(Tag::Pending)) {
        raise(FaultKind::TypeError, "a pending operation is not callable; use (await …)");
        return CallResult::Faulted;
      }
      std::string text;
      append_readable(text, callee, heap, {80, nullptr});
      raise(FaultKind::NotCallable, callee.is_nil() ? "nil is not callable" : "not callable: " + text);
      return CallResult::Faulted;
    }
  }
}

const Closure* RunImpl::function_closure(Link& program_link, std::uint32_t index) {
  std::vector<Value>& made = program_link.functions;
  if (made.empty()) made.resize(program_link.program->functions.size(), Value::nil());
  if (made[index].is_nil()) {
    auto* closure = heap.make<Closure>(Kind::Closure);
    closure->upvalue_count = 0;
    closure->serial = 0;   // never a value that a program can hold
    closure->function = &program_link.program->functions[index];
    closure->link = &program_link;
    made[index] = Value::of(Tag::Closure, closure);
  }
  return static_cast<const Closure*>(made[index].object);
}

}  // namespace ptc
