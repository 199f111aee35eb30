// The trie behind vectors of more than kFlatVectorMax elements; see TrieVector in object.h. Used by vm/value, and by
// the interpreter to read and replace elements.
//
// Functions that change a trie need a header that only the caller owns (trie_own_header). Below the header they copy
// shared parts and write the others in place.
#pragma once
#include <cstdint>
#include <span>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::uint32_t kTrieBits = 5;
inline constexpr std::uint32_t kTrieMask = kFlatVectorMax - 1;

inline std::uint32_t shift_of(std::uint32_t level) { return kTrieBits * level; }
inline std::uint32_t trie_end(const TrieVector* t) { return t->start + t->count; }
// Returns the first slot of the tail, or slot 0 for an empty trie.
inline std::uint32_t trie_tail_start(const TrieVector* t) {
  return t->count == 0 ? t->start : (trie_end(t) - 1) & ~kTrieMask;
}

TrieVector* trie_empty(Heap& heap);
TrieVector* trie_own_header(Heap& heap, TrieVector* taken);

// Returns the leaf that holds a visible slot, borrowed.
inline const VectorLeaf* trie_leaf(const TrieVector* t, std::uint32_t slot) {
  if (slot >= trie_tail_start(t)) return t->tail;
  const VectorNode* node = t->root;
  for (std::uint32_t shift = shift_of(t->flags); shift > kTrieBits; shift -= kTrieBits) {
    node = static_cast<const VectorNode*>(node->children[(slot >> shift) & kTrieMask]);
  }
  return static_cast<const VectorLeaf*>(node->children[(slot >> kTrieBits) & kTrieMask]);
}
inline Value trie_at(const TrieVector* t, std::uint32_t i) {
  const std::uint32_t slot = t->start + i;
  return trie_leaf(t, slot)->items[slot & kTrieMask];
}
// Appends an item. Appends nothing behind a full tail when the program must end (Heap::has_failed).
void trie_push(Heap& heap, TrieVector* owned, Value taken_item);
enum class Ownership : std::uint8_t { Borrowed, Taken };
void trie_append(Heap& heap, TrieVector* owned, std::span<const Value> items, Ownership ownership);
// Returns the cell of element i after making this trie the only owner of everything above it. The leaf gets these
// flags: kMayRefer, unless the new element is known not to be an object.
Value* trie_own_cell(Heap& heap, TrieVector* owned, std::uint32_t i, std::uint8_t leaf_flags);
// Returns the cell when nothing above it is shared, else null.
inline Value* trie_unshared_cell(TrieVector* t, std::uint32_t i, std::uint8_t leaf_flags) {
  if (t->rc != 1) return nullptr;
  const std::uint32_t slot = t->start + i;
  VectorLeaf* leaf = t->tail;
  if (slot < trie_tail_start(t)) {
    VectorNode* node = t->root;
    for (std::uint32_t shift = shift_of(t->flags); shift > kTrieBits && node->rc == 1; shift -= kTrieBits) {
      node = static_cast<VectorNode*>(node->children[(slot >> shift) & kTrieMask]);
    }
    if (node->rc != 1) return nullptr;
    leaf = static_cast<VectorLeaf*>(node->children[(slot >> kTrieBits) & kTrieMask]);
  }
  if (leaf->rc != 1) return nullptr;
  leaf->flags |= leaf_flags;
  return &leaf->items[slot & kTrieMask];
}
inline std::uint8_t leaf_flags_for(Value item) { return item.is_heap() ? VectorLeaf::kMayRefer : 0; }
// Keep the first `count` elements, or drop the first `from`. More than kFlatVectorMax elements must stay.
void trie_truncate(Heap& heap, TrieVector* owned, std::uint32_t count);
void trie_drop_front(Heap& heap, TrieVector* owned, std::uint32_t from);

}  // namespace ptc
