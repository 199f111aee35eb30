// Persistent vectors: flat up to kFlatVectorMax elements, then a 32-way trie with a tail; and arithmetic ranges that
// compute their elements. Every function that changes a vector takes it, and works in place when it holds the only
// reference; otherwise it copies the path. Elements outside of the view of a slice are released when the slice is
// unique.
#pragma once
#include <cstdint>
#include <span>

#include "vm/value/heap.h"
#include "vm/value/account.h"

namespace ptc {

Value vector_empty(Heap& heap);
Value vector_of(Heap& heap, std::span<const Value> taken);
Value vector_range(Heap& heap, std::int64_t start, std::int64_t step, std::uint32_t count);   // count may be 0

// A range holds no elements until one of them is changed. Code that changes a vector in bulk asks vector_change_bytes()
// first. Otherwise the heap refuses what does not fit (Heap::refuse), and the resulting vector is wrong.

// Returns about the bytes of a vector of that many elements, for Heap::can_allocate().
std::uint64_t vector_bytes(std::uint64_t count);
inline std::uint32_t vector_count(Value vector) { return static_cast<const VectorHeader*>(vector.object)->count; }
// Returns the bytes that the first change of that vector allocates.
inline std::uint64_t vector_change_bytes(Value vector) {
  return vector.object->kind == Kind::RangeVector ? vector_bytes(vector_count(vector)) : 0;
}
Value trie_or_range_at(const VectorHeader* vector, std::uint32_t i);
// Returns element i < count, borrowed from the vector (ints of a range need no owner).
inline Value vector_at(Value vector, std::uint32_t i) {
  const VectorHeader* const header = static_cast<const VectorHeader*>(vector.object);
  if (header->kind == Kind::FlatVector) return static_cast<const FlatVector*>(header)->items()[i];
  return trie_or_range_at(header, i);
}
// Returns element i < count, which the caller owns.
inline Value vector_get(Value vector, std::uint32_t i) { return retained(vector_at(vector, i)); }

Value vector_push_slowly(Heap& heap, Value taken_vector, Value taken_item);
inline Value vector_push(Heap& heap, Value taken_vector, Value taken_item) {
  Object* const object = taken_vector.object;
  if (object->rc == 1 && object->kind == Kind::TrieVector) {
    TrieVector* const trie = static_cast<TrieVector*>(object);
    const std::uint32_t used = (trie->start + trie->count) % kFlatVectorMax;
    VectorLeaf* const tail = trie->tail;
    if (used != 0 && tail->extra == used && tail->rc == 1) {
      tail->items[used] = taken_item;
      tail->note(taken_item);
      tail->extra = static_cast<std::uint16_t>(used + 1);
      ++trie->count;
      return taken_vector;
    }
  }
  return vector_push_slowly(heap, taken_vector, taken_item);
}
// Returns the cell of element i < count after making *vector its only owner, which may make *vector another vector.
Value* vector_own_cell(Heap& heap, Value* vector, std::uint32_t i);
Value vector_set(Heap& heap, Value taken_vector, std::uint32_t i, Value taken_item);   // i < count
Value vector_pop(Heap& heap, Value taken_vector);                                      // count > 0
// Moves element i out when the vector is the only owner (nil stays in its place), else returns a retained copy. The
// caller must put something back with vector_set() before other code sees the vector.
Value vector_take_at(Heap& heap, Value borrowed_vector, std::uint32_t i);
// Returns elements [from, to), from <= to <= count. Costs O(1) to O(32) for tries, for cuts at either end.
Value vector_slice(Heap& heap, Value taken_vector, std::uint32_t from, std::uint32_t to);
Value vector_concat(Heap& heap, Value taken_a, Value borrowed_b);

// Returns the longest contiguous stretch of elements that begins at i, which is empty at the end. Ranges give one
// element at a time through `scratch`, which must outlive the span.
std::span<const Value> vector_chunk(Value vector, std::uint32_t i, Value& scratch);

// Builds a vector element by element. finish() returns the vector; the destructor releases elements that were not
// returned.
class VectorBuilder {
 public:
  explicit VectorBuilder(Heap& heap) : heap_(heap), vector_(vector_empty(heap)) {}
  ~VectorBuilder() { heap_.release(vector_); }
  VectorBuilder(const VectorBuilder&) = delete;
  VectorBuilder& operator=(const VectorBuilder&) = delete;
  void push(Value taken) {
    vector_ = vector_push(heap_, vector_, taken);
    if (count() % 32 == 0) {
      work_done(32);
      account::check_memory(heap_);
    }
  }
  std::uint32_t count() const { return vector_count(vector_); }
  Value finish() {
    const Value v = vector_;
    vector_ = Value::nil();
    return v;
  }

 private:
  Heap& heap_;
  Value vector_;
};

}  // namespace ptc
