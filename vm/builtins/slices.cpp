// Builtins that give a part of a sequence. Counts below zero mean none, counts past the end mean all.
#include <algorithm>

#include "vm/builtins/seqable.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

std::uint32_t clamped(std::int64_t n, std::uint32_t count) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(n, 0, count));
}

// The elements [from, to) of argument `arg`, where limits(count) says which, without expanding all of a long
// string.
template <class Limits>
Value part(Call& call, std::uint32_t arg, Limits limits) {
  const Value coll = call.arg(arg);
  if (!is_seqable(coll)) return call.type_error(arg + 1, "seqable");
  if (coll.is_string()) {
    const auto [from, to] = limits(string_count(coll));
    return seqable_vector(call, string_slice(call.heap, coll, from, to));
  }
  const Value items = take_seq(call, arg);
  if (items.is_absent()) return items;
  const auto [from, to] = limits(vector_count(items));
  return vector_slice(call.heap, items, from, to);
}

struct Limit {
  std::uint32_t from, to;
};

Value split(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 0, n)) return Value::absent();
  const Value items = take_seq(call, 1);
  if (items.is_absent()) return items;
  const std::uint32_t count = vector_count(items);
  const std::uint32_t at = clamped(n, count);
  const Value head = vector_slice(call.heap, retained(items), 0, at);
  const Value halves[] = {head, vector_slice(call.heap, items, at, count)};
  return vector_of(call.heap, halves);
}

}  // namespace

Value builtin_rest(Call& call) {
  return part(call, 0, [](std::uint32_t count) { return Limit{std::min(1u, count), count}; });
}

Value builtin_butlast(Call& call) {
  const Value coll = call.arg(0);
  if (is_seqable(coll) && seqable_count(coll) < 2) return Value::nil();
  return part(call, 0, [](std::uint32_t count) { return Limit{0, count - 1}; });
}

Value builtin_take(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 0, n)) return Value::absent();
  return part(call, 1, [n](std::uint32_t count) { return Limit{0, clamped(n, count)}; });
}

Value builtin_drop(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 0, n)) return Value::absent();
  return part(call, 1, [n](std::uint32_t count) { return Limit{clamped(n, count), count}; });
}

Value builtin_nthrest(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 1, n)) return Value::absent();
  return part(call, 0, [n](std::uint32_t count) { return Limit{clamped(n, count), count}; });
}

Value builtin_take_last(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 0, n)) return Value::absent();
  if (is_seqable(call.arg(1)) && seqable_count(call.arg(1)) == 0) return Value::nil();
  return part(call, 1, [n](std::uint32_t count) { return Limit{count - clamped(n, count), count}; });
}

Value builtin_drop_last(Call& call) {
  std::int64_t n = 1;
  const std::uint32_t coll = call.count() - 1;
  if (call.count() == 2 && !position_argument(call, 0, n)) return Value::absent();
  return part(call, coll, [n](std::uint32_t count) { return Limit{0, count - clamped(n, count)}; });
}

Value builtin_split_at(Call& call) { return split(call); }
Value builtin_splitv_at(Call& call) { return split(call); }

Value builtin_subvec(Call& call) {
  if (!call.arg(0).is_vector()) return call.type_error(1, "vector");
  std::int64_t start = 0, end = INT64_MAX;
  if (!position_argument(call, 1, start)) return Value::absent();
  if (call.count() > 2 && !position_argument(call, 2, end)) return Value::absent();
  return part(call, 0, [start, end](std::uint32_t count) {
    const std::uint32_t to = clamped(end, count);
    return Limit{std::min(clamped(start, count), to), to};
  });
}

Value builtin_pop(Call& call) {
  const Value coll = call.arg(0);
  if (coll.is_nil()) return coll;
  if (!coll.is_vector()) return call.type_error(1, "vector");
  if (vector_count(coll) == 0) return Value::nil();
  return vector_pop(call.heap, call.take(0));
}

}  // namespace ptc
