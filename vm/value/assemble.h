// Builds collections from their physical parts, for snapshots. A restored heap must have exactly the nodes, spare room
// and sharing that it had, because all of that shows in the bytes that a program uses.
//
// The parts may come from anywhere. Each function checks every invariant that the rest of vm/value relies on. On
// success the function takes the parts. When an invariant does not hold, the function returns null and the caller keeps
// the parts. PartInfo carries facts about a part that the part itself does not show. PartInfo is made bottom-up, so
// each object is visited once, however often it is shared.
#pragma once
#include <cstdint>
#include <span>

#include "vm/value/heap.h"

namespace ptc {

struct PartInfo {
  std::uint64_t hash = 0;         // HashNode: the hash of one of its keys
  std::uint32_t entries = 0;      // HashNode: the number of entries in its subtree
  std::uint64_t first = 0;        // VectorNode, leaf: slots [first, last) of its span exist, without a gap
  std::uint64_t last = 0;
  std::uint8_t level = 0;         // VectorNode: leaves are 0. HashNode: the root is 0
};

struct Part {
  Object* object;
  PartInfo info;
};

FlatVector* assemble_flat(Heap& heap, std::span<const Value> items, std::uint32_t start, std::uint32_t capacity);
VectorLeaf* assemble_leaf(Heap& heap, std::span<const Value> items);
// The mask has a bit for each of the 32 places that has a child.
VectorNode* assemble_vector_node(Heap& heap, std::span<const Part> present, std::uint32_t mask, PartInfo& info);
TrieVector* assemble_trie(Heap& heap, std::uint32_t start, std::uint32_t count, Part root, VectorLeaf* tail);
RangeVector* assemble_range(Heap& heap, std::int64_t first, std::int64_t step, std::uint32_t count);

KeyArray* assemble_keys(Heap& heap, std::span<const Value> keys, bool interned);
SmallMap* assemble_small_map(Heap& heap, KeyArray* keys, std::span<const Value> values);
SmallSet* assemble_small_set(Heap& heap, KeyArray* keys);
// values: keys; in maps each key is followed by its value.
HashNode* assemble_hash_node(Heap& heap, bool is_set, std::uint8_t level, std::uint32_t datamap,
                             std::uint32_t nodemap, std::span<const Value> values, std::span<const Part> children,
                             PartInfo& info);
HashNode* assemble_collision(Heap& heap, bool is_set, std::uint8_t level, std::span<const Value> values,
                             PartInfo& info);
HashMap* assemble_hashed(Heap& heap, Kind kind, Part root, std::uint32_t count);

// Return the PartInfo of objects that vm/value made itself, from the PartInfo of their parts.
PartInfo vector_leaf_info();
PartInfo vector_node_info(const VectorNode* node, std::span<const PartInfo> present);
PartInfo hash_node_info(const HashNode* node, std::uint8_t level, std::span<const PartInfo> children);

}  // namespace ptc
