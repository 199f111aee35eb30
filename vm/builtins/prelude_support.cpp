// Hidden builtins of the prelude: argument checks in the name of the function that the user called, and the
// parts of it that are native. Their own arguments come from the prelude, so shapes that it guarantees are
// not checked again.
#include <algorithm>

#include "schema/fault_kind.h"
#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/function.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kSlotBytes = 16;

// Argument `checked` (0-based) is what the user gave as argument number arg(1) of function arg(0).
Value refused(Call& call, std::string_view expected, std::string hint = {}) {
  return wrong_argument(call, string_view_of(call.arg(0)), call.arg(1).i, expected, call.arg(2),
                        std::move(hint));
}

bool accepts_none(Value f) {
  if (f.is(Tag::Builtin)) return builtin_info(f.builtin()).min_args == 0;
  if (!f.is(Tag::Closure)) return false;
  return static_cast<const Closure*>(f.object)->function->required_count == 0;
}

}  // namespace

// (%seq "map" 2 coll)
Value builtin_h_seq(Call& call) {
  if (call.arg(2).is_vector()) return call.take(2);
  if (!is_seqable(call.arg(2))) return refused(call, "seqable");
  return seqable_vector(call, call.take(2));
}

// (%map "update-vals" 1 m)
Value builtin_h_map(Call& call) {
  if (call.arg(2).is_map()) return call.take(2);
  if (call.arg(2).is_nil()) return map_empty(call.heap);
  return refused(
      call, "map",
      call.arg(2).is_function() ? "the map comes first: use -> (thread-first) instead of ->>" : "");
}

// (%kv "reduce-kv" 3 coll) -> [k v k v …]
Value builtin_h_key_values(Call& call) {
  const Value coll = call.arg(2);
  if (!coll.is_nil() && !coll.is_map() && !coll.is_vector()) return refused(call, "map or vector");
  const std::uint64_t count = seqable_count(coll);
  if (!call.reserve(count * 2 * kSlotBytes)) return Value::absent();
  call.charge(count);
  VectorBuilder flat(call.heap);
  if (coll.is_map()) {
    MapCursor cursor(call.heap, coll);
    while (cursor.next()) {
      flat.push(retained(cursor.key()));
      flat.push(retained(cursor.value()));
    }
  } else {
    for (std::uint32_t i = 0; i < count; ++i) {
      flat.push(Value::integer(i));
      flat.push(vector_get(coll, i));
    }
  }
  return flat.finish();
}

// (%callable "map" 1 f)
Value builtin_h_callable(Call& call) {
  if (is_callable(call.arg(2))) return call.take(2);
  return refused(call, "function", call.arg(2).is_string() ? "use a keyword to read a field" : "");
}

// (%times "repeatedly" 1 n): a count of at least zero
Value builtin_h_times(Call& call) {
  std::int64_t n = 0;
  if (!position_of(call.arg(2), n)) return refused(call, "integer");
  return Value::integer(std::max<std::int64_t>(n, 0));
}

// (%fail "type_error" text)
Value builtin_h_fail(Call& call) {
  const std::optional<FaultKind> kind = find_fault(string_view_of(call.arg(0)));
  return call.fail(kind.value_or(FaultKind::TypeError), std::string(string_view_of(call.arg(1))));
}

// (%accepts-none? f)
Value builtin_h_accepts_none(Call& call) { return Value::boolean(accepts_none(call.arg(0))); }

// (reduced x) is a closure of the prelude's own function %reduced; no program can give a function such a
// name.
Value builtin_reduced_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is(Tag::Closure) &&
                        static_cast<const Closure*>(x.object)->function->name == "%reduced");
}

// (%join wrap? pieces): the results of mapcat's function in one vector; wrap? lets a scalar stand for itself
Value builtin_h_join(Call& call) {
  const bool wrap = call.arg(0).truthy();
  const Value pieces = call.arg(1);
  VectorBuilder joined(call.heap);
  for (std::uint32_t i = 0; i < vector_count(pieces); ++i) {
    const Value piece = vector_at(pieces, i);
    if (wrap && !piece.is_vector() && !piece.is_map() && !piece.is_set() && !piece.is_nil()) {
      joined.push(retained(piece));
      continue;
    }
    if (!is_seqable(piece)) return wrong_kind(call, "mapcat", "result of the function", "seqable", piece);
    const Value items = seqable_vector(call, retained(piece));
    if (items.is_absent()) return items;
    const Owned owner(call.heap, items);
    const std::uint32_t count = vector_count(items);
    call.charge(count);
    if (!call.reserve(count * kSlotBytes)) return Value::absent();
    for (std::uint32_t k = 0; k < count; ++k) joined.push(vector_get(items, k));
  }
  return joined.finish();
}

// (%pairs-map "walk" pairs)
Value builtin_h_pairs_map(Call& call) {
  const Value pairs = call.arg(1);
  const std::uint32_t count = vector_count(pairs);
  call.charge(count);
  Owned map(call.heap, map_empty(call.heap));
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    const Value pair = vector_at(pairs, i);
    if (!pair.is_vector() || vector_count(pair) != 2) {
      return wrong_kind(call, string_view_of(call.arg(0)), "new map entry", "[key value] pair", pair);
    }
    map.reset(map_assoc(call.heap, map.take(), vector_get(pair, 0), vector_get(pair, 1)));
  }
  return map.take();
}

// (%fill-nil args defaults): args with each nil that has a default replaced
Value builtin_h_fill_nil(Call& call) {
  Owned filled(call.heap, call.take(0));
  const Value defaults = call.arg(1);
  const std::uint32_t count = std::min(vector_count(filled.get()), vector_count(defaults));
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    if (!vector_at(filled.get(), i).is_nil()) continue;
    filled.reset(vector_set(call.heap, filled.take(), i, vector_get(defaults, i)));
  }
  return filled.take();
}

}  // namespace ptc
