// Builtins that look at single elements of a sequence, or at its size. Nothing here builds more than one
// element.
#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Element i of argument 0, or nil past the end.
Value element_or_nil(Call& call, std::uint32_t i) {
  const Value coll = call.arg(0);
  if (!is_seqable(coll)) return call.type_error(1, "seqable");
  return i < seqable_count(coll) ? seqable_element(call, coll, i) : Value::nil();
}

// The elements of an element of argument 0 as a vector (nil is empty).
Value inner_vector(Call& call, Value taken_element) {
  if (!is_seqable(taken_element)) {
    const Owned element(call.heap, taken_element);
    return wrong_kind(call, call.name(), "first element", "seqable", taken_element);
  }
  return seqable_vector(call, taken_element);
}

// Everything from `from` on, or nil when nothing is left. Takes an owned vector or an Absent.
Value tail_or_nil(Call& call, Value taken_vector, std::uint32_t from) {
  if (taken_vector.is_absent()) return taken_vector;
  const std::uint32_t count = vector_count(taken_vector);
  if (from >= count) {
    call.heap.release(taken_vector);
    return Value::nil();
  }
  return vector_slice(call.heap, taken_vector, from, count);
}

}  // namespace

Value builtin_first(Call& call) { return element_or_nil(call, 0); }
Value builtin_second(Call& call) { return element_or_nil(call, 1); }
Value builtin_fnext(Call& call) { return element_or_nil(call, 1); }

Value builtin_last(Call& call) {
  const Value coll = call.arg(0);
  if (!is_seqable(coll)) return call.type_error(1, "seqable");
  const std::uint32_t count = seqable_count(coll);
  return count == 0 ? Value::nil() : seqable_element(call, coll, count - 1);
}

Value builtin_nth(Call& call) {
  const Value coll = call.arg(0);
  if (!is_seqable(coll)) return call.type_error(1, "seqable");
  std::int64_t index = 0;
  if (!position_argument(call, 1, index)) return Value::absent();
  if (index >= 0 && index < seqable_count(coll)) {
    return seqable_element(call, coll, static_cast<std::uint32_t>(index));
  }
  return call.count() > 2 ? call.take(2) : Value::nil();
}

Value builtin_ffirst(Call& call) {
  const Value inner = element_or_nil(call, 0);
  if (inner.is_absent()) return inner;
  const Value elements = inner_vector(call, inner);
  if (elements.is_absent()) return elements;
  const Owned owner(call.heap, elements);
  return vector_count(elements) == 0 ? Value::nil() : vector_get(elements, 0);
}

Value builtin_nfirst(Call& call) {
  const Value inner = element_or_nil(call, 0);
  if (inner.is_absent()) return inner;
  return tail_or_nil(call, inner_vector(call, inner), 1);
}

Value builtin_next(Call& call) { return tail_or_nil(call, take_seq(call, 0), 1); }
Value builtin_nnext(Call& call) { return tail_or_nil(call, take_seq(call, 0), 2); }

Value builtin_nthnext(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 1, n)) return Value::absent();
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const std::int64_t count = vector_count(items);
  return tail_or_nil(call, items, static_cast<std::uint32_t>(n < 0 ? 0 : n > count ? count : n));
}

Value builtin_count(Call& call) {
  if (!is_seqable(call.arg(0))) return call.type_error(1, "seqable");
  return Value::integer(seqable_count(call.arg(0)));
}

Value builtin_empty_p(Call& call) {
  if (!is_seqable(call.arg(0))) return call.type_error(1, "seqable");
  return Value::boolean(seqable_count(call.arg(0)) == 0);
}

Value builtin_not_empty(Call& call) {
  if (!is_seqable(call.arg(0))) return call.type_error(1, "seqable");
  return seqable_count(call.arg(0)) == 0 ? Value::nil() : call.take(0);
}

Value builtin_seq(Call& call) {
  if (!is_seqable(call.arg(0))) return call.type_error(1, "seqable");
  return seqable_count(call.arg(0)) == 0 ? Value::nil() : take_seq(call, 0);
}

Value builtin_empty(Call& call) {
  switch (call.arg(0).tag) {
    case Tag::Vector: return vector_empty(call.heap);
    case Tag::Map: return map_empty(call.heap);
    case Tag::Set: return set_empty(call.heap);
    case Tag::Nil:
    case Tag::String: return Value::nil();
    default: return call.type_error(1, "collection");
  }
}

Value builtin_peek(Call& call) {
  const Value coll = call.arg(0);
  if (coll.is_nil()) return coll;
  if (!coll.is_vector()) return call.type_error(1, "vector");
  const std::uint32_t count = vector_count(coll);
  return count == 0 ? Value::nil() : vector_get(coll, count - 1);
}

Value builtin_dorun(Call& call) {
  if (!is_seqable(call.arg(0))) return call.type_error(1, "seqable");
  return Value::nil();
}

Value builtin_doall(Call& call) {
  if (call.arg(0).is_nil()) return Value::nil();
  return take_seq(call, 0);
}

}  // namespace ptc
