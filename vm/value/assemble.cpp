#include "vm/value/assemble.h"

#include <algorithm>
#include <bit>

#include "vm/value/champ.h"
#include "vm/value/equality.h"
#include "vm/value/order.h"
#include "vm/value/small_keys.h"
#include "vm/value/vector_trie.h"

namespace ptc {

namespace {

constexpr std::uint8_t kMaxVectorLevel = 6;      // 32^7 slots are more than an index can name
constexpr std::uint8_t kCollisionLevel = 13;     // below the last hash bit

std::uint64_t span_of_child(std::uint8_t level_of_node) { return std::uint64_t{1} << (kTrieBits * level_of_node); }

std::uint64_t low_bits(std::uint64_t hash, std::uint32_t count) {
  return count >= 64 ? hash : hash & ((std::uint64_t{1} << count) - 1);
}

bool in_order(std::span<const Value> keys, std::size_t stride) {
  for (std::size_t i = stride; i < keys.size(); i += stride) {
    if (canonical_order(keys[i - stride], keys[i]) >= 0) return false;
  }
  return true;
}

}  // namespace

FlatVector* assemble_flat(Heap& heap, std::span<const Value> items, std::uint32_t start, std::uint32_t capacity) {
  if (capacity > kFlatVectorMax || start > capacity || items.size() > capacity - start) return nullptr;
  FlatVector* const flat = heap.make<FlatVector>(Kind::FlatVector, sizeof(FlatVector) + capacity * sizeof(Value));
  flat->extra = static_cast<std::uint16_t>(capacity);
  flat->count = static_cast<std::uint32_t>(items.size());
  flat->start = start;
  std::copy(items.begin(), items.end(), flat->items());
  return flat;
}

VectorLeaf* assemble_leaf(Heap& heap, std::span<const Value> items) {
  if (items.size() > kFlatVectorMax) return nullptr;
  VectorLeaf* const leaf = heap.make<VectorLeaf>(Kind::VectorLeaf);
  leaf->extra = static_cast<std::uint16_t>(items.size());
  std::copy(items.begin(), items.end(), leaf->items);
  for (const Value item : items) leaf->note(item);
  return leaf;
}

PartInfo vector_leaf_info() {
  PartInfo info;
  info.last = kFlatVectorMax;
  return info;
}

// The first stretch of slots without a gap: vectors never leave one in view.
PartInfo vector_node_info(const VectorNode* node, std::span<const PartInfo> present) {
  PartInfo info;
  std::size_t next = 0;
  bool open = false;
  for (std::uint32_t i = 0; i < kFlatVectorMax; ++i) {
    if (node->children[i] == nullptr) continue;
    const PartInfo& child = present[next++];
    info.level = static_cast<std::uint8_t>(child.level + 1);
    const std::uint64_t span = span_of_child(info.level);
    if (!open) {
      open = true;
      info.first = i * span + child.first;
      info.last = i * span + child.last;
    } else if (child.first == 0 && info.last == i * span) {
      info.last += child.last;
    }
  }
  return info;
}

VectorNode* assemble_vector_node(Heap& heap, std::span<const Part> present, std::uint32_t mask, PartInfo& info) {
  if (present.empty() || static_cast<std::size_t>(std::popcount(mask)) != present.size()) return nullptr;
  const std::uint8_t level = present.front().info.level;
  if (level >= kMaxVectorLevel) return nullptr;
  for (const Part& child : present) {
    const bool leaf = child.object->kind == Kind::VectorLeaf;
    if (!leaf && child.object->kind != Kind::VectorNode) return nullptr;
    if (child.info.level != level || leaf != (level == 0)) return nullptr;
    if (leaf && child.object->extra != kFlatVectorMax) return nullptr;
  }
  VectorNode* const node = heap.make<VectorNode>(Kind::VectorNode);
  PartInfo infos[kFlatVectorMax];
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < kFlatVectorMax; ++i) {
    const bool there = (mask >> i & 1u) != 0;
    node->children[i] = there ? present[next].object : nullptr;
    if (there) {
      infos[next] = present[next].info;
      ++next;
    }
  }
  info = vector_node_info(node, {infos, next});
  return node;
}

TrieVector* assemble_trie(Heap& heap, std::uint32_t start, std::uint32_t count, Part root, VectorLeaf* tail) {
  if (root.object->kind != Kind::VectorNode || count <= kFlatVectorMax || start > UINT32_MAX - count) return nullptr;
  const std::uint32_t end = start + count;
  const std::uint32_t tail_start = (end - 1) & ~kTrieMask;
  if (tail->extra < end - tail_start) return nullptr;
  if (start < root.info.first || tail_start > root.info.last) return nullptr;
  if (count > heap.bytes_used() / sizeof(Value)) return nullptr;   // one leaf is in several places
  TrieVector* const trie = heap.make<TrieVector>(Kind::TrieVector);
  trie->flags = root.info.level;
  trie->count = count;
  trie->start = start;
  trie->root = static_cast<VectorNode*>(root.object);
  trie->tail = tail;
  return trie;
}

RangeVector* assemble_range(Heap& heap, std::int64_t first, std::int64_t step, std::uint32_t count) {
  std::int64_t last = 0;
  const bool steady = count != 0 && !__builtin_mul_overflow(step, std::int64_t{count} - 1, &last) &&
                      !__builtin_add_overflow(first, last, &last);
  if (!steady) return nullptr;
  RangeVector* const range = heap.make<RangeVector>(Kind::RangeVector);
  range->count = count;
  range->start = 0;
  range->first = first;
  range->step = step;
  return range;
}

KeyArray* assemble_keys(Heap& heap, std::span<const Value> keys, bool interned) {
  if (keys.size() > kSmallMax || !in_order(keys, 1)) return nullptr;
  if (interned) {
    if (!std::all_of(keys.begin(), keys.end(), KeyArrayTable::can_intern)) return nullptr;
    std::uint64_t hash = 0;
    for (const Value key : keys) hash += KeyArrayTable::key_part(key);
    const auto same = [&](const KeyArray& known) {   // both are sorted
      return std::equal(keys.begin(), keys.end(), known.keys(), known.keys() + known.extra, same_key);
    };
    if (heap.key_arrays().find(hash, same) != nullptr) return nullptr;   // one array a set of keys
    return keys_of(heap, keys, Sharing::Interned);
  }
  return keys_of(heap, keys, Sharing::Private);
}

SmallMap* assemble_small_map(Heap& heap, KeyArray* keys, std::span<const Value> values) {
  if (keys->extra != values.size()) return nullptr;
  const auto count = static_cast<std::uint32_t>(values.size());
  SmallMap* const map = heap.make<SmallMap>(Kind::SmallMap, sizeof(SmallMap) + count * sizeof(Value));
  map->extra = static_cast<std::uint16_t>(count);
  map->keys = keys;
  std::copy(values.begin(), values.end(), map->values());
  return map;
}

SmallSet* assemble_small_set(Heap& heap, KeyArray* keys) {
  if ((keys->flags & KeyArray::kInterned) != 0) return nullptr;
  SmallSet* const set = heap.make<SmallSet>(Kind::SmallSet);
  set->extra = keys->extra;
  set->keys = keys;
  return set;
}

PartInfo hash_node_info(const HashNode* node, std::uint8_t level, std::span<const PartInfo> children) {
  PartInfo info;
  info.level = level;
  info.entries = node->entry_count();
  if (info.entries != 0) info.hash = hash_key(node->entries()[0]);
  for (const PartInfo& child : children) {
    info.entries += child.entries;
    info.hash = child.hash;
  }
  return info;
}

HashNode* assemble_hash_node(Heap& heap, bool is_set, std::uint8_t level, std::uint32_t datamap,
                             std::uint32_t nodemap, std::span<const Value> values, std::span<const Part> children,
                             PartInfo& info) {
  const std::size_t stride = is_set ? 1 : 2;
  const auto entries = static_cast<std::size_t>(std::popcount(datamap));
  const bool shape = level < kCollisionLevel && (datamap & nodemap) == 0 && values.size() == entries * stride &&
                     static_cast<std::size_t>(std::popcount(nodemap)) == children.size() && (datamap | nodemap) != 0;
  if (!shape) return nullptr;
  const std::uint32_t shift = level * kChampBits;
  info = {};
  info.level = level;
  bool known = false;
  // Every key of the subtree agrees with the first one below this level, and with its own bit at this level.
  const auto belongs = [&](std::uint64_t hash, std::uint32_t bit) {
    if (!known) info.hash = hash;
    known = true;
    return low_bits(hash, shift) == low_bits(info.hash, shift) && ((hash >> shift) & 31u) == bit;
  };
  std::size_t entry = 0, child = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    if ((datamap >> bit & 1u) != 0) {
      if (!belongs(hash_key(values[entry * stride]), bit)) return nullptr;
      ++entry;
    } else if ((nodemap >> bit & 1u) != 0) {
      const Part& part = children[child++];
      if (part.object->kind != Kind::HashNode || part.info.level != level + 1 || part.info.entries < 2) return nullptr;
      if (static_cast<const HashNode*>(part.object)->is_set() != is_set) return nullptr;
      if (!belongs(part.info.hash, bit)) return nullptr;
      info.entries += part.info.entries;
    }
  }
  info.entries += static_cast<std::uint32_t>(entries);
  HashNode* const node = heap.make<HashNode>(
      Kind::HashNode, sizeof(HashNode) + values.size() * sizeof(Value) + children.size() * sizeof(HashNode*));
  node->flags = is_set ? HashNode::kSet : std::uint8_t{0};
  node->extra = static_cast<std::uint16_t>(entries | children.size() << 8);
  node->datamap = datamap;
  node->nodemap = nodemap;
  std::copy(values.begin(), values.end(), node->entries());
  for (std::size_t i = 0; i < children.size(); ++i) node->children()[i] = static_cast<HashNode*>(children[i].object);
  return node;
}

HashNode* assemble_collision(Heap& heap, bool is_set, std::uint8_t level, std::span<const Value> values,
                             PartInfo& info) {
  const std::size_t stride = is_set ? 1 : 2;
  const std::size_t entries = values.size() / stride;
  const bool whole = entries >= 2 && values.size() % stride == 0;
  if (level != kCollisionLevel || !whole || !in_order(values, stride)) return nullptr;
  info = {};
  info.level = level;
  info.entries = static_cast<std::uint32_t>(entries);
  info.hash = hash_key(values[0]);
  for (std::size_t i = stride; i < values.size(); i += stride) {
    if (hash_key(values[i]) != info.hash) return nullptr;
  }
  HashNode* const node = heap.make<HashNode>(Kind::HashNode, sizeof(HashNode) + values.size() * sizeof(Value));
  node->flags = static_cast<std::uint8_t>(HashNode::kCollision | (is_set ? HashNode::kSet : 0));
  node->datamap = info.entries;
  node->nodemap = 0;
  std::copy(values.begin(), values.end(), node->entries());
  return node;
}

HashMap* assemble_hashed(Heap& heap, Kind kind, Part root, std::uint32_t count) {
  if (root.object->kind != Kind::HashNode || root.info.level != 0) return nullptr;
  if (root.info.entries != count || count <= kSmallMax) return nullptr;
  if (static_cast<const HashNode*>(root.object)->is_set() != (kind == Kind::HashSet)) return nullptr;
  HashMap* const hashed = heap.make<HashMap>(kind);
  hashed->count = count;
  hashed->unused = 0;
  hashed->root = static_cast<HashNode*>(root.object);
  return hashed;
}

}  // namespace ptc
