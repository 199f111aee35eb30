// Builtins that make or extend vectors: constructors, cons, conj, concat, into, reverse, flatten. A
// collection that nobody else holds is extended in place, so conj and into in a loop cost what a mutable
// table costs.
#include <vector>

#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kEntryBytes = 32;
constexpr std::uint64_t kLooksAfter = 4096;   // elements

// All arguments moved into a vector.
Value vector_of_arguments(Call& call) {
  if (!call.reserve(vector_bytes(call.count()))) return Value::absent();
  call.charge(call.count() / 8);
  VectorBuilder items(call.heap);
  for (std::uint32_t i = 0; i < call.count(); ++i) items.push(call.take(i));
  return items.finish();
}

// Every entry of `entries` assoc'ed onto the map; takes the map, borrows the entries.
Value map_with_entries(Call& call, Value taken_map, Value entries) {
  Owned result(call.heap, taken_map);
  call.charge(map_count(entries));
  MapCursor cursor(call.heap, entries);
  while (cursor.next()) {
    result.reset(map_assoc(call.heap, result.take(), retained(cursor.key()), retained(cursor.value())));
    if (!call.within_memory()) return Value::absent();
  }
  return result.take();
}

// One item onto a map: a [key value] pair, another map, or nil. Takes the map and the item; on failure both
// are given up and Absent is returned.
Value map_with_item(Call& call, Value taken_map, Value taken_item) {
  const Owned item(call.heap, taken_item);
  if (taken_item.is_nil()) return taken_map;
  if (taken_item.is_map()) return map_with_entries(call, taken_map, taken_item);
  if (taken_item.is_vector() && vector_count(taken_item) == 2) {
    return map_assoc(call.heap, taken_map, vector_get(taken_item, 0), vector_get(taken_item, 1));
  }
  call.heap.release(taken_map);
  return wrong_kind(call, call.name(), "item for a map", "map or [key value] pair", taken_item);
}

// One item onto a vector, set or map. Takes both.
Value with_item(Call& call, Value taken_coll, Value taken_item) {
  switch (taken_coll.tag) {
    case Tag::Vector:
      if (call.reserve_change(taken_coll)) return vector_push(call.heap, taken_coll, taken_item);
      call.heap.release(taken_coll);
      call.heap.release(taken_item);
      return Value::absent();
    case Tag::Set: return set_add(call.heap, taken_coll, taken_item);
    default: return map_with_item(call, taken_coll, taken_item);
  }
}

bool is_collection(Value v) { return v.is_vector() || v.is_map() || v.is_set(); }

// All elements of a vector poured into a set or map. Takes the target, borrows the vector.
Value poured(Call& call, Value taken_target, Value items) {
  const std::uint32_t count = vector_count(items);
  if (!call.reserve(count * kEntryBytes)) {
    call.heap.release(taken_target);
    return Value::absent();
  }
  Owned result(call.heap, taken_target);
  for (std::uint32_t i = 0; i < count && !result.get().is_absent(); ++i) {
    work_done(1);
    result.reset(with_item(call, result.take(), vector_get(items, i)));
    if (!result.get().is_absent() && !call.within_memory()) return Value::absent();
  }
  return result.take();
}

}  // namespace

Value builtin_vector(Call& call) { return vector_of_arguments(call); }
Value builtin_list_(Call& call) { return vector_of_arguments(call); }
Value builtin_vec(Call& call) { return take_seq(call, 0); }

Value builtin_cons(Call& call) {
  const Value items = take_seq(call, 1);
  if (items.is_absent()) return items;
  const Owned tail(call.heap, items);
  if (!call.reserve(vector_bytes(vector_count(items) + std::uint64_t{1}))) return Value::absent();
  call.charge(vector_count(items));
  const Value head[] = {call.take(0)};
  return vector_concat(call.heap, vector_of(call.heap, head), items);
}

Value builtin_conj(Call& call) {
  if (call.count() == 0) return vector_empty(call.heap);
  if (!is_collection(call.arg(0)) && !call.arg(0).is_nil()) return call.type_error(1, "collection");
  if (call.count() == 1) return call.take(0);
  Owned result(call.heap, call.take(0));
  if (result.get().is_nil()) result.reset(vector_empty(call.heap));
  for (std::uint32_t i = 1; i < call.count() && !result.get().is_absent(); ++i) {
    work_done(1);
    result.reset(with_item(call, result.take(), call.take(i)));
  }
  return result.take();
}

Value builtin_concat(Call& call) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (!is_seqable(call.arg(i))) return call.type_error(i + 1, "seqable");
  }
  if (call.count() == 0) return vector_empty(call.heap);
  Owned result(call.heap, take_seq(call, 0));
  for (std::uint32_t i = 1; i < call.count() && !result.get().is_absent(); ++i) {
    const Owned items(call.heap, take_seq(call, i));
    if (items.get().is_absent() || !call.reserve_elements(result.get(), vector_count(items.get()))) {
      return Value::absent();
    }
    call.charge(vector_count(items.get()));
    work_done(1);
    result.reset(vector_concat(call.heap, result.take(), items.get()));
  }
  return result.take();
}

Value builtin_into(Call& call) {
  if (call.count() == 0) return vector_empty(call.heap);
  const Value target = call.arg(0);
  if (!is_collection(target) && !target.is_nil()) return call.type_error(1, "collection");
  if (call.count() == 1) return call.take(0);
  if (!is_seqable(call.arg(1))) return call.type_error(2, "seqable");
  if (target.is_map() && call.arg(1).is_map()) return map_with_entries(call, call.take(0), call.arg(1));
  const Value items = take_seq(call, 1);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  call.charge(vector_count(items));
  if (target.is_nil()) return source.get().is_vector() ? retained(items) : Value::nil();
  if (!target.is_vector()) return poured(call, call.take(0), items);
  if (!call.reserve_elements(target, vector_count(items))) return Value::absent();
  return vector_concat(call.heap, call.take(0), items);
}

Value builtin_reverse(Call& call) {
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint32_t count = vector_count(items);
  if (!call.reserve(vector_bytes(count))) return Value::absent();
  call.charge(count);
  VectorBuilder reversed(call.heap);
  for (std::uint32_t i = count; i > 0; --i) reversed.push(vector_get(items, i - 1));
  return reversed.finish();
}

// Iterative, and bounded by what a copy without sharing could hold: a small vector that contains itself many
// times over would otherwise take exponential time.
Value builtin_flatten(Call& call) {
  if (call.arg(0).is_nil()) return vector_empty(call.heap);
  if (!call.arg(0).is_vector()) return call.type_error(1, "vector");
  struct Level {
    Value vector;  // borrowed: kept alive by the argument
    std::uint32_t next;
  };
  std::vector<Level> levels{{call.arg(0), 0}};
  VectorBuilder leaves(call.heap);
  std::uint64_t visited = 0;
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == vector_count(level.vector)) {
      levels.pop_back();
      continue;
    }
    const Value item = vector_at(level.vector, level.next++);
    if (++visited % kLooksAfter == 0 && !call.reserve(visited * kSlotBytes)) {
      call.charge(visited);   // the program ends, and has paid for the way here
      return Value::absent();
    }
    if (item.is_vector()) {
      levels.push_back({item, 0});
    } else {
      leaves.push(retained(item));
    }
  }
  call.charge(visited);
  return leaves.finish();
}

}  // namespace ptc
