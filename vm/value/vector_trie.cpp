// 32-way tries with a tail. Hazard: nodes that are or were shared can hold children beyond the end of this vector, so
// code that puts a child into a node releases what was there, and code that appends to a tail cuts it to its length.
#include "vm/value/vector_trie.h"

#include <algorithm>
#include <cstring>

namespace ptc {

namespace {

VectorLeaf* make_leaf(Heap& heap) { return heap.make<VectorLeaf>(Kind::VectorLeaf); }

VectorNode* make_node(Heap& heap) {
  VectorNode* const node = heap.make<VectorNode>(Kind::VectorNode);
  std::fill(std::begin(node->children), std::end(node->children), nullptr);
  return node;
}

// Releases the elements of an unshared leaf from `used` on.
void cut_leaf(Heap& heap, VectorLeaf* leaf, std::uint32_t used) {
  while (leaf->extra > used) heap.release(leaf->items[--leaf->extra]);
}

// The first `used` elements in a leaf of our own; takes the reference.
VectorLeaf* own_leaf(Heap& heap, VectorLeaf* taken, std::uint32_t used) {
  if (taken->rc == 1) {
    cut_leaf(heap, taken, used);
    return taken;
  }
  VectorLeaf* const copy = make_leaf(heap);
  copy->extra = static_cast<std::uint16_t>(used);
  copy->flags = taken->flags;
  for (std::uint32_t i = 0; i < used; ++i) copy->items[i] = retained(taken->items[i]);
  --taken->rc;
  return copy;
}

VectorNode* own_node(Heap& heap, VectorNode* taken) {
  if (taken == nullptr) return make_node(heap);
  if (taken->rc == 1) return taken;
  VectorNode* const copy = heap.make<VectorNode>(Kind::VectorNode);
  for (std::uint32_t i = 0; i < kFlatVectorMax; ++i) {
    copy->children[i] = taken->children[i];
    if (copy->children[i] != nullptr) ++copy->children[i]->rc;
  }
  --taken->rc;
  return copy;
}

void release_child(Heap& heap, VectorNode* node, std::uint32_t i) {
  Object* const child = node->children[i];
  if (child == nullptr) return;
  node->children[i] = nullptr;
  heap.release(child);
}

// Makes room at the end of a full root: lets go of children that a slice left out of view, else adds a level.
void widen_root(Heap& heap, TrieVector* t) {
  const std::uint32_t shift = shift_of(t->flags);
  const std::uint32_t unseen = t->start >> shift;
  if (unseen == 0) {
    VectorNode* const root = make_node(heap);
    root->children[0] = t->root;
    t->root = root;
    ++t->flags;
    return;
  }
  t->root = own_node(heap, t->root);
  for (std::uint32_t i = 0; i < unseen; ++i) release_child(heap, t->root, i);
  std::move(t->root->children + unseen, std::end(t->root->children), t->root->children);
  std::fill(std::end(t->root->children) - unseen, std::end(t->root->children), nullptr);
  t->start -= unseen << shift;
}

// Moves the full tail into the trie.
void store_tail(Heap& heap, TrieVector* t) {
  if (((trie_end(t) - 1) >> shift_of(t->flags)) >= kFlatVectorMax) widen_root(heap, t);
  const std::uint32_t slot = trie_end(t) - 1;
  t->root = own_node(heap, t->root);
  VectorNode* node = t->root;
  for (std::uint32_t level = t->flags; level > 1; --level) {
    Object*& child = node->children[(slot >> shift_of(level)) & kTrieMask];
    VectorNode* const owned = own_node(heap, static_cast<VectorNode*>(child));
    child = owned;
    node = owned;
  }
  const std::uint32_t i = (slot >> kTrieBits) & kTrieMask;
  release_child(heap, node, i);
  node->children[i] = t->tail;
  t->tail = nullptr;
}

// While the part of the trie in view is within one child of the root, that child becomes the root.
void lower_root(Heap& heap, TrieVector* t) {
  while (t->flags > 1) {
    const std::uint32_t shift = shift_of(t->flags);
    const std::uint32_t i = t->start >> shift;
    if (i != (trie_tail_start(t) - 1) >> shift) return;
    VectorNode* const child = static_cast<VectorNode*>(t->root->children[i]);
    ++child->rc;
    heap.release(t->root);
    t->root = child;
    t->start -= i << shift;
    --t->flags;
  }
}

// Takes the leaf of that slot out of the trie, or shares it when the way to it is shared; lets go of all to its right.
VectorLeaf* cut_trie_at(Heap& heap, TrieVector* t, std::uint32_t slot) {
  VectorNode* node = t->root;
  bool unshared = true;
  for (std::uint32_t level = t->flags;; --level) {
    const std::uint32_t i = (slot >> shift_of(level)) & kTrieMask;
    unshared = unshared && node->rc == 1;
    if (unshared) {
      for (std::uint32_t right = i + 1; right < kFlatVectorMax; ++right) release_child(heap, node, right);
    }
    if (level == 1) {
      VectorLeaf* const leaf = static_cast<VectorLeaf*>(node->children[i]);
      if (unshared) {
        node->children[i] = nullptr;
      } else {
        ++leaf->rc;
      }
      return leaf;
    }
    node = static_cast<VectorNode*>(node->children[i]);
  }
}

}  // namespace

TrieVector* trie_empty(Heap& heap) {
  TrieVector* const t = heap.make<TrieVector>(Kind::TrieVector);
  t->flags = 1;
  t->count = 0;
  t->start = 0;
  t->root = nullptr;
  t->tail = make_leaf(heap);
  return t;
}

TrieVector* trie_own_header(Heap& heap, TrieVector* taken) {
  if (taken->rc == 1) return taken;
  TrieVector* const copy = heap.make<TrieVector>(Kind::TrieVector);
  copy->flags = taken->flags;
  copy->count = taken->count;
  copy->start = taken->start;
  copy->root = taken->root;
  copy->tail = taken->tail;
  if (copy->root != nullptr) ++copy->root->rc;
  ++copy->tail->rc;
  --taken->rc;
  return copy;
}

void trie_push(Heap& heap, TrieVector* owned, Value taken_item) {
  trie_append(heap, owned, {&taken_item, 1}, Ownership::Taken);
}

static void drop_items(Heap& heap, std::span<const Value> items, Ownership ownership) {
  if (ownership == Ownership::Borrowed) return;
  for (const Value item : items) heap.release(item);
}

void trie_append(Heap& heap, TrieVector* owned, std::span<const Value> items, Ownership ownership) {
  while (!items.empty()) {
    std::uint32_t used = trie_end(owned) - trie_tail_start(owned);
    if (used == kFlatVectorMax) {
      if (heap.has_failed()) [[unlikely]] return drop_items(heap, items, ownership);
      store_tail(heap, owned);
      owned->tail = make_leaf(heap);
      used = 0;
    } else {
      owned->tail = own_leaf(heap, owned->tail, used);
    }
    const std::size_t n = std::min<std::size_t>(items.size(), kFlatVectorMax - used);
    for (std::size_t i = 0; i < n; ++i) {
      if (ownership == Ownership::Borrowed) retain(items[i]);
      owned->tail->items[used + i] = items[i];
      owned->tail->note(items[i]);
    }
    owned->tail->extra = static_cast<std::uint16_t>(used + n);
    owned->count += static_cast<std::uint32_t>(n);
    items = items.subspan(n);
  }
}

Value* trie_own_cell(Heap& heap, TrieVector* owned, std::uint32_t i, std::uint8_t leaf_flags) {
  const std::uint32_t slot = owned->start + i;
  const std::uint32_t tail_start = trie_tail_start(owned);
  if (slot >= tail_start) {
    owned->tail = own_leaf(heap, owned->tail, trie_end(owned) - tail_start);
    owned->tail->flags |= leaf_flags;
    return &owned->tail->items[slot & kTrieMask];
  }
  owned->root = own_node(heap, owned->root);
  VectorNode* node = owned->root;
  for (std::uint32_t level = owned->flags; level > 1; --level) {
    Object*& child = node->children[(slot >> shift_of(level)) & kTrieMask];
    VectorNode* const next = own_node(heap, static_cast<VectorNode*>(child));
    child = next;
    node = next;
  }
  Object*& child = node->children[(slot >> kTrieBits) & kTrieMask];
  VectorLeaf* const leaf = own_leaf(heap, static_cast<VectorLeaf*>(child), kFlatVectorMax);
  child = leaf;
  leaf->flags |= leaf_flags;
  return &leaf->items[slot & kTrieMask];
}

void trie_truncate(Heap& heap, TrieVector* owned, std::uint32_t count) {
  const std::uint32_t old_tail_start = trie_tail_start(owned);
  owned->count = count;
  const std::uint32_t tail_start = trie_tail_start(owned);
  if (tail_start != old_tail_start) {
    heap.release(owned->tail);
    owned->tail = cut_trie_at(heap, owned, tail_start);
    lower_root(heap, owned);
  }
  if (owned->tail->rc == 1) cut_leaf(heap, owned->tail, trie_end(owned) - trie_tail_start(owned));
}

void trie_drop_front(Heap& heap, TrieVector* owned, std::uint32_t from) {
  std::uint32_t old_slot = owned->start;
  const std::uint32_t slot = owned->start + from;
  owned->start = slot;
  owned->count -= from;
  VectorNode* node = owned->root;
  for (std::uint32_t level = owned->flags; level > 0 && node->rc == 1; --level) {
    const std::uint32_t shift = shift_of(level);
    const std::uint32_t i = (slot >> shift) & kTrieMask;
    for (std::uint32_t left = (old_slot >> shift) & kTrieMask; left < i; ++left) release_child(heap, node, left);
    // Where the ways part, the old start is no bound any more: the new subtree begins at its first child.
    if ((old_slot >> shift) != (slot >> shift)) old_slot = slot >> shift << shift;
    if (level > 1) {
      node = static_cast<VectorNode*>(node->children[i]);
      continue;
    }
    VectorLeaf* const leaf = static_cast<VectorLeaf*>(node->children[i]);
    for (std::uint32_t left = old_slot & kTrieMask; leaf->rc == 1 && left < (slot & kTrieMask); ++left) {
      heap.release(leaf->items[left]);
      leaf->items[left] = Value::nil();
    }
  }
  lower_root(heap, owned);
}

}  // namespace ptc
