// What the interpreter does when operands are not two small ints or two floats: big integers, mixed kinds, errors,
// collections. On success operands flagged as taken are released and the destination is written last.
#include <string>
#include <utility>

#include "vm/builtins/call.h"
#include "vm/builtins/nested_update.h"
#include "vm/exec/interpreter.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/order.h"
#include "vm/value/pending.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

const char* operator_name(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Sub: return "-";
    case Op::Mul: return "*";
    case Op::Div: return "/";
    case Op::Less: return "<";
    case Op::LessEq: return "<=";
    case Op::Greater: return ">";
    case Op::GreaterEq: return ">=";
    default: return "";
  }
}

std::string expected_number(std::string_view name, int argument, Value got) {
  std::string text(name);
  text += ": arg " + std::to_string(argument);
  if (got.is(Tag::Pending)) {
    text += " is a pending operation (" +
            std::string(pending_id_of(got)) + "); use (await …)";
    return text;
  }
  return text + " expected number, got " + std::string(kind_text(got));
}

// Returns the value of a register with a reference: the register's own, which it gives up, or another one.
Value operand(Value* reg, bool take) { return take ? std::exchange(*reg, Value::nil()) : retained(*reg); }

}  // namespace

bool Interpreter::slow_arithmetic(Op op, Value* dst, Value* b, Value* c, std::uint8_t flags) {
  const std::uint32_t bits = core_.limits().integer_bits;
  NumericResult computed{};
  switch (op) {
    case Op::Add: computed = num_add(core_.heap(), *b, *c, bits); break;
    case Op::Sub: computed = num_sub(core_.heap(), *b, *c, bits); break;
    case Op::Mul: computed = num_mul(core_.heap(), *b, *c, bits); break;
    default: computed = num_div(core_.heap(), *b, *c); break;
  }
  switch (computed.error) {
    case NumericError::None: break;
    case NumericError::DivisionByZero: return core_.raise(FaultKind::ArithmeticError, "division by zero");
    case NumericError::TooWide:
      return core_.raise(FaultKind::IntegerLimitExceeded, "integer wider than " + std::to_string(bits) + " bits");
    default: {
      const bool first = !b->is_number();
      const Value got = first ? *b : *c;
      return core_.raise_about(got, FaultKind::TypeError, expected_number(operator_name(op), first ? 1 : 2, got));
    }
  }
  const Value x = *b, y = *c;
  if ((flags & kTakeB) != 0) core_.heap().release(x);
  if ((flags & kTakeC) != 0) core_.heap().release(y);
  *dst = computed.value;
  return true;
}

bool Interpreter::slow_constant_arithmetic(Op op, Value* dst, Value* b, Value constant, std::uint8_t flags) {
  if ((flags & kConstantFirst) == 0) return slow_arithmetic(op, dst, b, &constant, flags & kTakeB);
  return slow_arithmetic(op, dst, &constant, b, (flags & kTakeB) != 0 ? kTakeC : std::uint8_t{0});
}

bool Interpreter::slow_add_immediate(Op op, Value* dst, Value* b, std::int64_t number, std::uint8_t flags) {
  const std::uint32_t bits = core_.limits().integer_bits;
  const NumericResult computed = num_add(core_.heap(), *b, Value::integer(number), bits);
  if (computed.error == NumericError::TooWide) {
    return core_.raise(FaultKind::IntegerLimitExceeded,
                       "integer wider than " + std::to_string(bits) + " bits");
  }
  if (computed.error != NumericError::None) {
    const std::string_view name = op == Op::Inc ? (number > 0 ? "inc" : "dec") : (number < 0 ? "-" : "+");
    return core_.raise_about(*b, FaultKind::TypeError, expected_number(name, 1, *b));
  }
  const Value x = *b;
  if ((flags & kTakeB) != 0) core_.heap().release(x);
  *dst = computed.value;
  return true;
}

int Interpreter::slow_compare(Op op, Value* a, Value* b, std::uint8_t flags, std::uint8_t take_a, std::uint8_t take_b) {
  const bool is_numbers = a->is_number() && b->is_number();
  if (!is_numbers && !(is_point_of_time(*a) && a->tag == b->tag)) {
    std::string text = std::string(operator_name(op)) + ": expected number arguments, got ";
    text += std::string(kind_text(*a)) + ", " + std::string(kind_text(*b));
    if (a->is(Tag::Pending) || b->is(Tag::Pending)) {
      text = expected_number(operator_name(op), a->is(Tag::Pending) ? 1 : 2, a->is(Tag::Pending) ? *a : *b);
    }
    core_.raise_about(a->is_number() ? *b : *a, FaultKind::TypeError, std::move(text));
    return -1;
  }
  const Ordering order = is_numbers ? num_compare(*a, *b) : scalar_compare(*a, *b);
  const Value x = *a, y = *b;
  if ((flags & take_a) != 0) core_.heap().release(x);
  if ((flags & take_b) != 0) core_.heap().release(y);
  if (order == Ordering::Unordered) return 0;
  switch (op) {
    case Op::Less: return order == Ordering::Less;
    case Op::LessEq: return order != Ordering::Greater;
    case Op::Greater: return order == Ordering::Greater;
    default: return order != Ordering::Less;
  }
}

bool Interpreter::plain_two(BuiltinId id, Value* dst, Value* b, Value* c, std::uint8_t flags) {
  Value args[2] = {operand(b, flags & kTakeB), operand(c, flags & kTakeC)};
  const Value value = core_.call_taking(id, args);
  if (value.is_absent()) return false;
  *dst = value;
  return true;
}

bool Interpreter::plain_one(BuiltinId id, Value* dst, Value* b, bool take) {
  Value args[1] = {operand(b, take)};
  const Value value = core_.call_taking(id, args);
  if (value.is_absent()) return false;
  *dst = value;
  return true;
}

// The place that the window's path leads to, with everything on the way to it owned by window[0] alone; null: a fault.
// Code that nobody compiled may have anything in the window.
Value* Interpreter::path_place(BuiltinId function, Value* window) {
  const bool is_key = function == BuiltinId::update;
  if (!is_key && (!window[1].is_vector() || vector_count(window[1]) == 0)) {
    core_.raise(FaultKind::BadProgram, "a path that is no vector of keys");
    return nullptr;
  }
  Call call(core_.env(), function, {});
  Value* const place = is_key ? place_at_key(call, window, window[1]) : place_at_path(call, window, window[1]);
  if (place == nullptr) core_.raise_parked();
  return place;
}

bool Interpreter::path_open(BuiltinId function, Value* window) {
  Value* const place = path_place(function, window);
  if (place == nullptr) return false;
  window[2] = *place;
  *place = Value::nil();
  return true;
}

bool Interpreter::path_close(BuiltinId function, Value* window) {
  Value* const place = path_place(function, window);
  if (place == nullptr) return false;
  const Value old = *place;
  *place = window[3];
  core_.heap().release(old);
  core_.heap().release(window[1]);
  return true;
}

bool Interpreter::add_at_path(BuiltinId function, Value* window, std::int64_t number) {
  const bool is_key = function == BuiltinId::update;
  if (!is_key && (!window[1].is_vector() || vector_count(window[1]) == 0)) return false;
  Value scratch{};
  const std::span<const Value> keys = is_key ? std::span<const Value>(&window[1], 1)
                                             : vector_chunk(window[1], 0, scratch);
  std::uint32_t followed = 0;
  Value* const place = map_follow(window, keys, &followed);
  const std::uint32_t length = is_key ? 1 : vector_count(window[1]);
  std::int64_t sum = 0;
  if (followed != length || !place->is_int() || __builtin_add_overflow(place->i, number, &sum)) return false;
  *place = Value::integer(sum);
  if (!is_key) core_.env().fuel_debt += 2 * std::uint64_t{length};   // that both would charge
  core_.heap().release(window[1]);
  return true;
}

bool Interpreter::assoc_in(Value* coll, Value* path, Value* value, std::uint8_t flags) {
  if (!path->is_vector() || vector_count(*path) == 0) {
    return plain_in_place(BuiltinId::assoc_in, coll, path, value, flags);
  }
  Call call(core_.env(), BuiltinId::assoc_in, {});
  Value* const place = place_at_path(call, coll, *path);
  if (place == nullptr) return core_.raise_parked();
  const Value old = *place;
  *place = *value;
  if ((flags & kTakeC) == 0) retain(*value);
  core_.heap().release(old);
  if ((flags & kTakeB) != 0) core_.heap().release(*path);
  return true;
}

// A builtin of three arguments whose result replaces the first, which it takes.
bool Interpreter::plain_in_place(BuiltinId id, Value* coll, Value* b, Value* c, std::uint8_t flags) {
  Value args[3] = {operand(coll, true), operand(b, flags & kTakeB), operand(c, flags & kTakeC)};
  const Value value = core_.call_taking(id, args);
  if (value.is_absent()) return false;
  *coll = value;
  return true;
}

bool Interpreter::iterator_start(Value* iterator, Value function_name, std::uint32_t argument) {
  if (!iterator[0].is_vector()) {
    Value args[3] = {retained(function_name), Value::integer(argument), operand(iterator, true)};
    const Value sequence = core_.call_taking(BuiltinId::h_seq, args);
    if (sequence.is_absent()) return false;
    iterator[0] = sequence;
  }
  iterator[1] = Value::integer(0);
  return true;
}

// What the prelude's reduced makes. Code from elsewhere may have a function of that name: it need not hold anything.
bool Interpreter::take_reduced(Value* closure) {
  const auto* found = static_cast<const Closure*>(closure->object);
  Call call(core_.env(), BuiltinId::reduced_p, {closure, 1});
  if (found->upvalue_count != 1 || !builtin_reduced_p(call).truthy()) return false;
  const Value held = retained(found->upvalues()[0]);
  core_.heap().release(*closure);
  *closure = held;
  return true;
}

void Interpreter::make_map(Value* window, std::uint32_t pairs) {
  constexpr std::uint32_t kOnStack = 32;
  Value few[2 * kOnStack];
  std::vector<Value> many;
  Value* keys = few;
  if (pairs > kOnStack) {
    many.resize(std::size_t{pairs} * 2);
    keys = many.data();
  }
  Value* values = keys + pairs;
  for (std::uint32_t k = 0; k < pairs; ++k) {
    keys[k] = window[1 + 2 * k];
    values[k] = window[2 + 2 * k];
  }
  window[0] = map_from(core_.heap(), {keys, pairs}, {values, pairs});
}

void Interpreter::make_set(Value* window, std::uint32_t count) {
  Value set = set_empty(core_.heap());
  for (std::uint32_t k = 1; k <= count; ++k) set = set_add(core_.heap(), set, window[k]);
  window[0] = set;
}

bool Interpreter::holds_no_handle(Value v, std::string_view what) {
  std::string path;
  const Value handle = find_pending(core_.heap(), v, path);
  if (handle.is_absent()) return true;
  const std::string id(pending_id_of(handle));
  return core_.raise(FaultKind::PendingInReturn,
               std::string(what) + (path.empty() ? " is a pending operation (" + id + ')'
                                                 : " at " + path + " is a pending operation (" + id + ')') +
                   "; await it first",
               "await it first, or pass (pending-id h)");
}

}  // namespace ptc
