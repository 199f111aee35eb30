// Vectors of every kind: small flat ones here, tries in vector_trie.cpp, ranges become one or the other when changed.
//
// Flat capacities are a function of the history of one vector only (4, 8, 16, 32 when pushed to, exact when made at
// once), so the bytes counted are the same in every run.
#include "vm/value/vector.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "vm/value/account.h"
#include "vm/value/vector_trie.h"

namespace ptc {

namespace {

FlatVector* as_flat(Value v) { return static_cast<FlatVector*>(v.object); }
TrieVector* as_trie(Value v) { return static_cast<TrieVector*>(v.object); }
RangeVector* as_range(Value v) { return static_cast<RangeVector*>(v.object); }
Value of(Object* vector) { return Value::of(Tag::Vector, vector); }

std::int64_t range_item(const RangeVector* range, std::uint32_t i) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(range->first) +
                                   static_cast<std::uint64_t>(range->step) * i);
}

std::size_t flat_size(std::uint32_t capacity) { return sizeof(FlatVector) + capacity * sizeof(Value); }

FlatVector* make_flat(Heap& heap, std::uint32_t capacity) {
  FlatVector* const flat = heap.make<FlatVector>(Kind::FlatVector, flat_size(capacity));
  flat->extra = static_cast<std::uint16_t>(capacity);
  flat->count = 0;
  flat->start = 0;
  return flat;
}

std::uint32_t grown_capacity(std::uint32_t count) {
  return count <= 4 ? 4 : count <= 8 ? 8 : count <= 16 ? 16 : kFlatVectorMax;
}

// The elements in a vector of our own with that capacity; takes the reference.
FlatVector* flat_into_new(Heap& heap, FlatVector* taken, std::uint32_t capacity) {
  FlatVector* const copy = make_flat(heap, capacity);
  copy->count = taken->count;
  if (taken->count != 0) std::memcpy(copy->slots(), taken->items(), taken->count * sizeof(Value));
  if (taken->rc == 1) {
    heap.discard(taken, flat_size(taken->extra));
    return copy;
  }
  for (std::uint32_t i = 0; i < copy->count; ++i) retain(copy->slots()[i]);
  --taken->rc;
  return copy;
}

// Ours alone, with room for one more at the end; count < kFlatVectorMax.
FlatVector* flat_with_room(Heap& heap, FlatVector* taken) {
  const std::uint32_t count = taken->count;
  if (taken->rc != 1) return flat_into_new(heap, taken, grown_capacity(count + 1));
  if (taken->start + count < taken->extra) return taken;
  if (taken->start == 0) return flat_into_new(heap, taken, grown_capacity(count + 1));
  std::memmove(taken->slots(), taken->items(), count * sizeof(Value));
  taken->start = 0;
  return taken;
}

TrieVector* trie_of_flat(Heap& heap, FlatVector* taken) {
  TrieVector* const trie = trie_empty(heap);
  const std::span<const Value> items{taken->items(), taken->count};
  const bool unique = taken->rc == 1;
  trie_append(heap, trie, items, unique ? Ownership::Taken : Ownership::Borrowed);
  if (unique) {
    heap.discard(taken, flat_size(taken->extra));
  } else {
    --taken->rc;
  }
  return trie;
}

// null: the host stopped the run, and the range is as before.
Object* range_into_items(Heap& heap, RangeVector* taken) {
  constexpr std::uint32_t kWorkOfLeaf = kFlatVectorMax / 8;
  Object* result = nullptr;
  const std::uint32_t count = taken->count;
  if (count > kFlatVectorMax) heap.add_work(count / kPartsPerUnit);
  if (count <= kFlatVectorMax) {
    FlatVector* const flat = make_flat(heap, grown_capacity(count));
    for (std::uint32_t i = 0; i < count; ++i) flat->slots()[i] = Value::integer(range_item(taken, i));
    flat->count = count;
    result = flat;
  } else {
    TrieVector* const trie = trie_empty(heap);
    std::array<Value, kFlatVectorMax> items;
    for (std::uint32_t done = 0; done < count && (done == 0 || !heap.has_failed()); done += kFlatVectorMax) {
      const std::uint32_t n = std::min(count - done, kFlatVectorMax);
      if (work_is_over(kWorkOfLeaf)) {
        heap.release(trie);
        return nullptr;
      }
      for (std::uint32_t i = 0; i < n; ++i) items[i] = Value::integer(range_item(taken, done + i));
      trie_append(heap, trie, {items.data(), n}, Ownership::Taken);
    }
    result = trie;
  }
  heap.release(taken);
  return result;
}

// A vector with elements, where ranges compute theirs; takes the reference. A range that is too long, or whose run the
// host has stopped, is given up and refused: one element stands for all of them until the program ends.
Value with_items(Heap& heap, Value taken) {
  if (taken.object->kind != Kind::RangeVector) return taken;
  if (heap.can_allocate(vector_change_bytes(taken))) {
    if (Object* const made = range_into_items(heap, as_range(taken))) return of(made);
  }
  heap.refuse();
  heap.release(taken);
  FlatVector* const instead = make_flat(heap, 1);
  instead->slots()[instead->count++] = Value::nil();
  return of(instead);
}

Value flat_slice(Heap& heap, Value taken, std::uint32_t from, std::uint32_t to) {
  FlatVector* const flat = as_flat(taken);
  if (flat->rc == 1) {
    for (std::uint32_t i = 0; i < from; ++i) heap.release(flat->items()[i]);
    for (std::uint32_t i = to; i < flat->count; ++i) heap.release(flat->items()[i]);
    flat->start += from;
    flat->count = to - from;
    return taken;
  }
  FlatVector* const copy = make_flat(heap, to - from);
  for (std::uint32_t i = from; i < to; ++i) copy->slots()[copy->count++] = retained(flat->items()[i]);
  --flat->rc;
  return of(copy);
}

Value trie_slice(Heap& heap, Value taken, std::uint32_t from, std::uint32_t to) {
  if (to - from <= kFlatVectorMax) {
    FlatVector* const flat = make_flat(heap, to - from);
    for (std::uint32_t i = from; i < to; ++i) flat->slots()[flat->count++] = vector_get(taken, i);
    heap.release(taken);
    return of(flat);
  }
  TrieVector* const trie = trie_own_header(heap, as_trie(taken));
  if (to != trie->count) trie_truncate(heap, trie, to);
  if (from != 0) trie_drop_front(heap, trie, from);
  return of(trie);
}

Value range_slice(Heap& heap, Value taken, std::uint32_t from, std::uint32_t to) {
  RangeVector* range = as_range(taken);
  if (range->rc != 1) {
    RangeVector* const copy = heap.make<RangeVector>(Kind::RangeVector);
    copy->start = 0;
    copy->first = range->first;
    copy->step = range->step;
    --range->rc;
    range = copy;
  }
  range->first = range_item(range, from);
  range->count = to - from;
  return of(range);
}

}  // namespace

std::uint64_t vector_bytes(std::uint64_t count) {
  if (count <= kFlatVectorMax) return flat_size(static_cast<std::uint32_t>(count));
  // A leaf for 32 elements, a node for 32 leaves, and an eighth of the nodes for those above.
  const std::uint64_t leaves = count / kFlatVectorMax + 1;
  const std::uint64_t nodes = leaves / kFlatVectorMax + 1;
  return leaves * sizeof(VectorLeaf) + (nodes + nodes / 8) * sizeof(VectorNode) + sizeof(TrieVector);
}

Value vector_empty(Heap& heap) { return of(make_flat(heap, 0)); }

Value vector_of(Heap& heap, std::span<const Value> taken) {
  const std::uint32_t count = static_cast<std::uint32_t>(taken.size());
  if (count <= kFlatVectorMax) {
    FlatVector* const flat = make_flat(heap, count);
    flat->count = count;
    if (count != 0) std::memcpy(flat->slots(), taken.data(), count * sizeof(Value));
    return of(flat);
  }
  TrieVector* const trie = trie_empty(heap);
  trie_append(heap, trie, taken, Ownership::Taken);
  return of(trie);
}

Value vector_range(Heap& heap, std::int64_t start, std::int64_t step, std::uint32_t count) {
  if (count == 0) return vector_empty(heap);
  RangeVector* const range = heap.make<RangeVector>(Kind::RangeVector);
  range->count = count;
  range->start = 0;
  range->first = start;
  range->step = step;
  return of(range);
}

Value trie_or_range_at(const VectorHeader* vector, std::uint32_t i) {
  if (vector->kind == Kind::RangeVector) return Value::integer(range_item(static_cast<const RangeVector*>(vector), i));
  return trie_at(static_cast<const TrieVector*>(vector), i);
}

Value vector_push_slowly(Heap& heap, Value taken_vector, Value taken_item) {
  const Value vector = with_items(heap, taken_vector);
  if (vector.object->kind == Kind::FlatVector && vector_count(vector) < kFlatVectorMax) {
    FlatVector* const flat = flat_with_room(heap, as_flat(vector));
    flat->items()[flat->count++] = taken_item;
    return of(flat);
  }
  TrieVector* const trie = vector.object->kind == Kind::FlatVector ? trie_of_flat(heap, as_flat(vector))
                                                                   : trie_own_header(heap, as_trie(vector));
  trie_push(heap, trie, taken_item);
  return of(trie);
}

namespace {

Value* own_cell(Heap& heap, Value* vector, std::uint32_t i, std::uint8_t leaf_flags) {
  if (vector->object->kind == Kind::TrieVector) {
    if (Value* const cell = trie_unshared_cell(as_trie(*vector), i, leaf_flags)) return cell;
  }
  if (vector->object->kind == Kind::RangeVector) {
    *vector = with_items(heap, *vector);
    if (i >= vector_count(*vector)) i = 0;   // refused, or the memory ended
  }
  if (vector->object->kind == Kind::TrieVector) {
    TrieVector* const owned = trie_own_header(heap, as_trie(*vector));
    *vector = of(owned);
    return trie_own_cell(heap, owned, i, leaf_flags);
  }
  FlatVector* flat = as_flat(*vector);
  if (flat->rc != 1) *vector = of(flat = flat_into_new(heap, flat, flat->count));
  return flat->items() + i;
}

}  // namespace

Value* vector_own_cell(Heap& heap, Value* vector, std::uint32_t i) {
  return own_cell(heap, vector, i, VectorLeaf::kMayRefer);
}

Value vector_set(Heap& heap, Value taken_vector, std::uint32_t i, Value taken_item) {
  Value* const cell = own_cell(heap, &taken_vector, i, leaf_flags_for(taken_item));
  const Value old = *cell;
  *cell = taken_item;
  heap.release(old);
  return taken_vector;
}

Value vector_pop(Heap& heap, Value taken_vector) {
  return vector_slice(heap, taken_vector, 0, vector_count(taken_vector) - 1);
}

Value vector_take_at(Heap&, Value borrowed_vector, std::uint32_t i) {
  Value* cell = nullptr;
  if (borrowed_vector.object->kind == Kind::FlatVector) {
    if (is_unique(borrowed_vector)) cell = as_flat(borrowed_vector)->items() + i;
  } else if (borrowed_vector.object->kind == Kind::TrieVector) {
    cell = trie_unshared_cell(as_trie(borrowed_vector), i, 0);
  }
  if (cell == nullptr) return vector_get(borrowed_vector, i);
  const Value item = *cell;
  *cell = Value::nil();
  return item;
}

Value vector_slice(Heap& heap, Value taken_vector, std::uint32_t from, std::uint32_t to) {
  if (from == 0 && to == vector_count(taken_vector)) return taken_vector;
  if (from == to) {
    heap.release(taken_vector);
    return vector_empty(heap);
  }
  switch (taken_vector.object->kind) {
    case Kind::FlatVector: return flat_slice(heap, taken_vector, from, to);
    case Kind::RangeVector: return range_slice(heap, taken_vector, from, to);
    default: return trie_slice(heap, taken_vector, from, to);
  }
}

Value vector_concat(Heap& heap, Value taken_a, Value borrowed_b) {
  const std::uint32_t count_b = vector_count(borrowed_b);
  if (count_b == 0) return taken_a;
  if (vector_count(taken_a) == 0) {
    heap.release(taken_a);
    return retained(borrowed_b);
  }
  Value result = with_items(heap, taken_a);
  Value scratch;
  std::uint32_t i = 0;
  while (i < count_b && vector_count(result) < kFlatVectorMax) {
    result = vector_push(heap, result, vector_get(borrowed_b, i++));
  }
  if (i == count_b) return result;
  TrieVector* const trie = result.object->kind == Kind::FlatVector ? trie_of_flat(heap, as_flat(result))
                                                                   : trie_own_header(heap, as_trie(result));
  while (i < count_b) {
    const std::span<const Value> chunk = vector_chunk(borrowed_b, i, scratch);
    trie_append(heap, trie, chunk, Ownership::Borrowed);
    i += static_cast<std::uint32_t>(chunk.size());
  }
  return of(trie);
}

std::span<const Value> vector_chunk(Value vector, std::uint32_t i, Value& scratch) {
  const std::uint32_t count = vector_count(vector);
  if (i >= count) return {};
  if (vector.object->kind == Kind::FlatVector) return {as_flat(vector)->items() + i, count - i};
  if (vector.object->kind == Kind::RangeVector) {
    scratch = Value::integer(range_item(as_range(vector), i));
    return {&scratch, 1};
  }
  const TrieVector* const trie = as_trie(vector);
  const std::uint32_t in_leaf = (trie->start + i) & kTrieMask;
  return {trie_leaf(trie, trie->start + i)->items + in_leaf, std::min(count - i, kFlatVectorMax - in_leaf)};
}

}  // namespace ptc
