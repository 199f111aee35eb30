// What binding patterns do at run time. The compiler emits these calls; every failure is a destructure_error.
#include <string>

#include "vm/builtins/complaint.h"
#include "vm/builtins/lookup.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

Value mismatch(Call& call, std::string_view expected, Value got) {
  if (got.is(Tag::Pending)) return wrong_kind(call, "destructuring", "value", expected, got);
  return call.fail(FaultKind::DestructureError,
                   "expected " + std::string(expected) + ", got " + shown(call, got));
}

std::uint32_t position(Value index) { return static_cast<std::uint32_t>(index.i); }

// Finds the field, owned, or Absent when missing. Returns false when a fault was parked.
bool field(Call& call, Value& found) {
  const Value source = call.arg(0);
  if (source.is_vector() && !call.arg(1).is_number()) {
    mismatch(call, "map or nil", source);
    return false;
  }
  found = lookup(call.env, source, call.arg(1));
  return true;
}

// Keyword arguments two by two; a last single map is merged in.
Value map_of_pairs(Call& call, Value items) {
  const std::uint32_t count = vector_count(items);
  Value map = map_empty(call.heap);
  for (std::uint32_t i = 0; i + 1 < count; i += 2) {
    map = map_assoc(call.heap, map, vector_get(items, i), vector_get(items, i + 1));
  }
  if (count % 2 == 0) return map;
  MapCursor cursor(call.heap, vector_at(items, count - 1));
  while (cursor.next()) map = map_assoc(call.heap, map, retained(cursor.key()), retained(cursor.value()));
  return map;
}

}  // namespace

Value builtin_h_nth_bind(Call& call) {
  const Value items = call.arg(0);
  const std::uint32_t i = position(call.arg(1));
  return i < vector_count(items) ? vector_get(items, i) : Value::nil();
}

Value builtin_h_rest_bind(Call& call) {
  const Value items = call.take(0);
  const std::uint32_t count = vector_count(items), from = position(call.arg(1));
  return vector_slice(call.heap, items, from < count ? from : count, count);
}

Value builtin_h_check_seq(Call& call) {
  const Value source = call.arg(0);
  if (!source.is_vector() && !source.is_nil() && !source.is_string()) {
    return mismatch(call, "list or nil", source);
  }
  return take_seq(call, 0);
}

Value builtin_h_check_map(Call& call) {
  const Value source = call.arg(0);
  const bool fits = source.is_map() || source.is_nil() || source.is_vector() || source.is(Tag::Pending);
  return fits ? call.take(0) : mismatch(call, "map or nil", source);
}

Value builtin_h_kwargs(Call& call) {
  const Value items = call.arg(0);
  const std::uint32_t count = vector_count(items);
  if (count % 2 != 0 && !vector_at(items, count - 1).is_map()) {
    return call.fail(FaultKind::DestructureError,
                     "keyword args must be even, got odd count: " + std::to_string(count));
  }
  return map_of_pairs(call, items);
}

Value builtin_h_get_bind(Call& call) {
  Value found{};
  if (!field(call, found)) return Value::absent();
  return found.is_absent() ? Value::nil() : found;
}

Value builtin_h_has_bind(Call& call) {
  Value found{};
  if (!field(call, found)) return Value::absent();
  if (found.is_absent()) return Value::boolean(false);
  call.heap.release(found);
  return Value::boolean(true);
}

}  // namespace ptc
