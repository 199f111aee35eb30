// Seqable values as vectors; see seqable.h. Conversions are checked against the memory limit before they
// start.
#include "vm/builtins/seqable.h"

#include <cmath>

#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kPairBytes = 64;      // an element slot and a vector of two
constexpr std::uint64_t kSortedBytes = 32;    // an entry while a map or set is being put in order
constexpr std::uint64_t kGraphemeBytes = 64;  // an element slot and a short string

Value pair_at(Heap& heap, Value map, std::uint32_t i) {
  MapCursor cursor(heap, map);
  for (std::uint32_t k = 0; k <= i; ++k) cursor.next();
  const Value pair[] = {retained(cursor.key()), retained(cursor.value())};
  return vector_of(heap, pair);
}

Value member_at(Heap& heap, Value set, std::uint32_t i) {
  MapCursor cursor(heap, set);
  for (std::uint32_t k = 0; k <= i; ++k) cursor.next();
  return retained(cursor.key());
}

}  // namespace

bool is_seqable(Value v) { return v.is_vector() || v.is_nil() || v.is_map() || v.is_set() || v.is_string(); }

std::uint32_t seqable_count(Value seqable) {
  switch (seqable.tag) {
    case Tag::Vector: return vector_count(seqable);
    case Tag::Map: return map_count(seqable);
    case Tag::Set: return set_count(seqable);
    case Tag::String: return string_count(seqable);
    default: return 0;
  }
}

Value seqable_element(Call& call, Value borrowed_seqable, std::uint32_t i) {
  switch (borrowed_seqable.tag) {
    case Tag::Vector: return vector_get(borrowed_seqable, i);
    case Tag::Map: call.charge(map_count(borrowed_seqable)); return pair_at(call.heap, borrowed_seqable, i);
    case Tag::Set: call.charge(set_count(borrowed_seqable)); return member_at(call.heap, borrowed_seqable, i);
    case Tag::String: return string_slice(call.heap, borrowed_seqable, i, i + 1);
    default: return Value::nil();
  }
}

Value seqable_vector(Call& call, Value taken_seqable) {
  if (taken_seqable.is_vector()) return taken_seqable;
  const Owned source(call.heap, taken_seqable);
  const std::uint64_t count = seqable_count(taken_seqable);
  call.charge(count);
  switch (taken_seqable.tag) {
    case Tag::Map:
      if (!call.reserve(count * (kPairBytes + kSortedBytes))) return Value::absent();
      return map_entries(call.heap, taken_seqable);
    case Tag::Set:
      if (!call.reserve(vector_bytes(count) + count * kSortedBytes)) return Value::absent();
      return set_items(call.heap, taken_seqable);
    case Tag::String:
      if (!call.reserve(count * kGraphemeBytes)) return Value::absent();
      return string_graphemes(call.heap, taken_seqable);
    default: return vector_empty(call.heap);
  }
}

Value take_seq(Call& call, std::uint32_t i) {
  if (!is_seqable(call.arg(i))) return call.type_error(i + 1, "seqable");
  return seqable_vector(call, call.take(i));
}

bool position_of(Value v, std::int64_t& out) {
  if (v.is_int()) {
    out = v.i;
    return true;
  }
  if (v.is(Tag::BigInt)) {
    out = (v.object->flags & BigInt::kNegative) != 0 ? INT64_MIN : INT64_MAX;
    return true;
  }
  if (!v.is_float() || !std::isfinite(v.d) || std::trunc(v.d) != v.d) return false;
  constexpr double kTwo63 = 9223372036854775808.0;
  if (v.d >= kTwo63) {
    out = INT64_MAX;
  } else if (v.d < -kTwo63) {
    out = INT64_MIN;
  } else {
    out = static_cast<std::int64_t>(v.d);
  }
  return true;
}

bool position_argument(Call& call, std::uint32_t i, std::int64_t& out) {
  if (position_of(call.arg(i), out)) return true;
  call.type_error(i + 1, "integer");
  return false;
}

bool is_callable(Value v) {
  return v.is_function() || v.is_keyword() || v.is_map() || v.is_set() || v.is_vector();
}

}  // namespace ptc
