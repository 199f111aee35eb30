// The trie behind vectors of more than kFlatVectorMax elements; see TrieVector in object.h. For vm/value only.
//
// Functions that change a trie want a header that the caller alone owns (trie_own_header); below it they copy what is
// shared and write the rest in place.
#pragma once
#include <cstdint>
#include <span>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::uint32_t kTrieBits = 5;
inline constexpr std::uint32_t kTrieMask = kFlatVectorMax - 1;

inline std::uint32_t trie_end(const TrieVector* t) { return t->start + t->count; }
// First slot of the tail; of an empty trie, slot 0.
inline std::uint32_t trie_tail_start(const TrieVector* t) {
  return t->count == 0 ? t->start : (trie_end(t) - 1) & ~kTrieMask;
}

TrieVector* trie_empty(Heap& heap);
TrieVector* trie_own_header(Heap& heap, TrieVector* taken);

// The leaf that holds a visible slot, borrowed.
const VectorLeaf* trie_leaf(const TrieVector* t, std::uint32_t slot);
void trie_push(Heap& heap, TrieVector* owned, Value taken_item);
enum class Ownership : std::uint8_t { Borrowed, Taken };
void trie_append(Heap& heap, TrieVector* owned, std::span<const Value> items, Ownership ownership);
// The cell of element i, with everything above it owned by this trie alone.
Value* trie_own_cell(Heap& heap, TrieVector* owned, std::uint32_t i);
// The cell of element i when nothing above it is shared, else null.
Value* trie_unshared_cell(TrieVector* t, std::uint32_t i);
// Keep the first `count` elements, or drop the first `from`: more than kFlatVectorMax must stay.
void trie_truncate(Heap& heap, TrieVector* owned, std::uint32_t count);
void trie_drop_front(Heap& heap, TrieVector* owned, std::uint32_t from);

}  // namespace ptc
