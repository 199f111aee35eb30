// Builtins that compare or count the elements of a sequence, by strict identity (1 and 1.0 differ): distinct,
// dedupe, frequencies, and the second half of the prelude functions that compute a key per element first
// (group-by and friends): they get the keys and the items as two vectors of one length.
#include "vm/builtins/item_counter.h"
#include "vm/builtins/seqable.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/vector_drain.h"

namespace ptc {
namespace {

// items[i] for every i whose keys[i] is new. Borrows both.
Value first_per_key(Call& call, Value keys, Value items) {
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  Owned seen(call.heap, set_empty(call.heap));
  VectorBuilder kept(call.heap);
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    const Value key = vector_at(keys, i);
    if (set_contains(seen.get(), key)) continue;
    seen.reset(set_add(call.heap, seen.take(), retained(key)));
    kept.push(vector_get(items, i));
  }
  return kept.finish();
}

// Counts the stretch of items that begins at i; where the next one begins. Items of nobody else's go at once.
std::uint32_t count_from(Heap& heap, ItemCounter& counter, Value items, std::uint32_t i) {
  work_done(32);
  const std::span<Value> ours = vector_unshared_chunk(items, i);
  for (Value& item : ours) {
    const Value taken = item;
    counter.add(taken);
    item = Value::nil();
    heap.release(taken);
  }
  if (!ours.empty()) return i + static_cast<std::uint32_t>(ours.size());
  Value scratch = Value::nil();
  const std::span<const Value> chunk = vector_chunk(items, i, scratch);
  for (const Value item : chunk) counter.add(item);
  return i + static_cast<std::uint32_t>(chunk.size());
}

}  // namespace

Value builtin_distinct(Call& call) {
  const bool already = call.arg(0).is_map() || call.arg(0).is_set();
  const Value items = take_seq(call, 0);
  if (items.is_absent() || already) return items;
  const Owned source(call.heap, items);
  return first_per_key(call, items, items);
}

Value builtin_dedupe(Call& call) {
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  VectorBuilder kept(call.heap);
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    if (i == 0 || !same_key(vector_at(items, i - 1), vector_at(items, i))) kept.push(vector_get(items, i));
  }
  return kept.finish();
}

Value builtin_frequencies(Call& call) {
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  ItemCounter counter(call.heap, count);
  for (std::uint32_t i = 0; i < count;) i = count_from(call.heap, counter, items, i);
  return counter.finish();
}

Value builtin_h_distinct_by(Call& call) { return first_per_key(call, call.arg(0), call.arg(1)); }

Value builtin_h_group(Call& call) {
  const Value keys = call.arg(0), items = call.arg(1);
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  Owned groups(call.heap, map_empty(call.heap));
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    const Value key = vector_at(keys, i);
    if (Value* const cell = map_find_mutable(call.heap, groups.get(), key)) {
      *cell = vector_push(call.heap, *cell, vector_get(items, i));
    } else {
      const Value first[] = {vector_get(items, i)};
      groups.reset(map_assoc(call.heap, groups.take(), retained(key), vector_of(call.heap, first)));
    }
  }
  return groups.take();
}

Value builtin_h_partition_by(Call& call) {
  const Value keys = call.arg(0), items = call.arg(1);
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  VectorBuilder runs(call.heap);
  std::uint32_t start = 0;
  for (std::uint32_t i = 1; i <= count; ++i) {
    if (i < count && same_key(vector_at(keys, i - 1), vector_at(keys, i))) continue;
    runs.push(vector_slice(call.heap, retained(items), start, i));
    start = i;
  }
  return runs.finish();
}

}  // namespace ptc
