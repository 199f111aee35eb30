// Every change of a node's size goes the same way: own_parts() gives us one reference to each of its parts, the parts
// are moved into a new node of the right size, and drop_shell() gives the emptied node back (or leaves it to its other
// owners). Nodes have no spare room.
#include "vm/value/champ.h"

#include <algorithm>
#include <cstring>

#include "vm/value/account.h"
#include "vm/value/equality.h"
#include "vm/value/order.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

constexpr std::uint32_t kCollisionShift = 65;   // the first multiple of kChampBits above kHashBits

std::uint32_t bit_of(std::uint64_t hash, std::uint32_t shift) { return 1u << ((hash >> shift) & 31u); }
// Without an instruction for it, std::popcount is a call that costs more than this.
inline std::uint32_t bit_count(std::uint32_t bits) {
  bits -= bits >> 1 & 0x55555555u;
  bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
  return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
inline std::uint32_t index_of(std::uint32_t bitmap, std::uint32_t bit) { return bit_count(bitmap & (bit - 1)); }

// Does same_key for a key that mostly has the hash of `candidate`: strings are looked at right here.
inline bool is_key(Value candidate, std::uint64_t hash, Value key) {
  if (!candidate.is_string() || !key.is_string()) return same_key(candidate, key);
  const String *a = as_string(candidate), *b = as_string(key);
  if (a == b) return true;
  if (a->size_bytes != b->size_bytes || (a->hash != hash && a->hash != 0)) return false;
  charge_text(a->size_bytes);
  return std::memcmp(a->bytes(), b->bytes(), a->size_bytes) == 0;
}

HashNode* make_node(Heap& heap, std::uint8_t flags, std::uint32_t datamap, std::uint32_t nodemap) {
  const bool collision = (flags & HashNode::kCollision) != 0;
  const std::uint32_t entries = collision ? datamap : bit_count(datamap);
  const std::uint32_t children = bit_count(nodemap);
  const std::size_t value_count = entries * ((flags & HashNode::kSet) != 0 ? 1u : 2u);
  HashNode* const node = heap.make<HashNode>(
      Kind::HashNode, sizeof(HashNode) + value_count * sizeof(Value) + children * sizeof(HashNode*));
  node->flags = flags;
  node->extra = collision ? std::uint16_t{0} : static_cast<std::uint16_t>(entries | children << 8);
  node->datamap = datamap;
  node->nodemap = nodemap;
  return node;
}

void own_parts(HashNode* node) {
  if (node->rc == 1) return;
  for (std::uint32_t i = 0, n = node->entry_count() * node->entry_width(); i < n; ++i) retain(node->entries()[i]);
  for (std::uint32_t i = 0, n = node->child_count(); i < n; ++i) ++node->children()[i]->rc;
}

void drop_shell(Heap& heap, HashNode* node) {
  if (node->rc == 1) {
    heap.discard(node, object_size_bytes(node));
  } else {
    --node->rc;
  }
}

HashNode* own_node(Heap& heap, HashNode* taken) {
  if (taken->rc == 1) return taken;
  own_parts(taken);
  const std::size_t size = object_size_bytes(taken);
  HashNode* const copy = heap.make<HashNode>(Kind::HashNode, size);
  std::memcpy(static_cast<void*>(copy), taken, size);
  copy->rc = kFirstCount;
  --taken->rc;
  return copy;
}

// Copies `count` items, leaves a gap of `added` items at `at` in the copy, or leaves `removed` items out.
template <class T>
void copy_around(T* to, const T* from, std::uint32_t count, std::uint32_t at, std::uint32_t added,
                 std::uint32_t removed) {
  std::copy(from, from + at, to);
  std::copy(from + at + removed, from + count, to + at + added);
}

// The change of a node: values of entries and child pointers that are added or left out, each at one place.
struct Change {
  std::uint32_t datamap, nodemap;
  std::uint32_t entry = 0;        // index among entries
  std::int32_t entries = 0;       // +1 put in, -1 left out
  std::uint32_t child = 0;
  std::int32_t children = 0;
};

// Takes `node`, returns the changed node; the caller writes what is put in, and what is left out belongs to
// the caller.
HashNode* reshape(Heap& heap, HashNode* node, const Change& c) {
  own_parts(node);
  HashNode* const result = make_node(heap, node->flags, c.datamap, c.nodemap);
  const std::uint32_t width = node->entry_width();
  copy_around(result->entries(), node->entries(), node->entry_count() * width, c.entry * width,
              c.entries > 0 ? width : 0, c.entries < 0 ? width : 0);
  copy_around(result->children(), node->children(), node->child_count(), c.child, c.children > 0 ? 1u : 0u,
              c.children < 0 ? 1u : 0u);
  drop_shell(heap, node);
  return result;
}

void write_entry(HashNode* node, std::uint32_t index, Value key, Value value) {
  Value* const entry = node->entries() + index * node->entry_width();
  entry[0] = key;
  if (!node->is_set()) entry[1] = value;
}

// Where the key is, or belongs, in a collision node.
std::uint32_t collision_index(const HashNode* node, Value key) {
  std::uint32_t low = 0, high = node->entry_count();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (canonical_order(node->entries()[middle * node->entry_width()], key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool collision_has(const HashNode* node, std::uint32_t index, Value key) {
  return index < node->entry_count() && same_key(node->entries()[index * node->entry_width()], key);
}

// Index of the key's entry in the node where the search for it ends, or kNone.
constexpr std::uint32_t kNone = UINT32_MAX;
inline std::uint32_t entry_index(const HashNode* node, std::uint64_t hash, std::uint32_t shift, Value key) {
  if (node->is_collision()) {
    const std::uint32_t index = collision_index(node, key);
    return collision_has(node, index, key) ? index : kNone;
  }
  const std::uint32_t bit = bit_of(hash, shift);
  if ((node->datamap & bit) == 0) return kNone;
  const std::uint32_t index = index_of(node->datamap, bit);
  return is_key(node->entries()[index * node->entry_width()], hash, key) ? index : kNone;
}

inline bool leads_down(const HashNode* node, std::uint64_t hash, std::uint32_t shift) {
  return !node->is_collision() && (node->nodemap & bit_of(hash, shift)) != 0;
}

inline HashNode** child_slot(HashNode* node, std::uint64_t hash, std::uint32_t shift) {
  return node->children() + index_of(node->nodemap, bit_of(hash, shift));
}

struct NewEntry {
  std::uint64_t hash;
  Value key, value;
};

// A subtree for two different keys whose hashes agree below `shift`. Takes their references.
HashNode* make_pair(Heap& heap, std::uint8_t set_flag, std::uint32_t shift, const NewEntry& a, const NewEntry& b) {
  std::uint32_t split = shift;
  while (split < kCollisionShift && bit_of(a.hash, split) == bit_of(b.hash, split)) split += kChampBits;
  HashNode* node = nullptr;
  bool a_first = false;
  if (split >= kCollisionShift) {
    node = make_node(heap, static_cast<std::uint8_t>(set_flag | HashNode::kCollision), 2, 0);
    a_first = canonical_order(a.key, b.key) < 0;
  } else {
    node = make_node(heap, set_flag, bit_of(a.hash, split) | bit_of(b.hash, split), 0);
    a_first = bit_of(a.hash, split) < bit_of(b.hash, split);
  }
  write_entry(node, a_first ? 0 : 1, a.key, a.value);
  write_entry(node, a_first ? 1 : 0, b.key, b.value);
  while (split > shift) {
    split -= kChampBits;
    HashNode* const above = make_node(heap, set_flag, 0, bit_of(a.hash, split));
    above->children()[0] = node;
    node = above;
  }
  return node;
}

// Takes the bitmap node, returns it with one more entry. What lies before and behind the new entry, child pointers
// included, is copied at one go each.
HashNode* with_entry(Heap& heap, HashNode* node, std::uint32_t bit, std::uint32_t at, const NewEntry& added) {
  own_parts(node);
  const std::size_t entry_bytes = node->entry_width() * sizeof(Value);
  const std::size_t before = at * entry_bytes;
  const std::size_t parts = node->entry_count() * entry_bytes + node->child_count() * sizeof(HashNode*);
  HashNode* const grown = heap.make<HashNode>(Kind::HashNode, sizeof(HashNode) + parts + entry_bytes);
  grown->flags = node->flags;
  grown->extra = static_cast<std::uint16_t>(node->extra + 1);
  grown->datamap = node->datamap | bit;
  grown->nodemap = node->nodemap;
  char* const to = reinterpret_cast<char*>(grown->entries());
  const char* const from = reinterpret_cast<const char*>(node->entries());
  std::memcpy(to, from, before);
  std::memcpy(to + before + entry_bytes, from + before, parts - before);
  write_entry(grown, at, added.key, added.value);
  if (node->rc == 1) {
    heap.discard(node, sizeof(HashNode) + parts);
  } else {
    --node->rc;
  }
  return grown;
}

// The key is not in this node, and the search for it ended here.
HashNode* insert_here(Heap& heap, HashNode* node, std::uint32_t shift, const NewEntry& added) {
  if (node->is_collision()) {
    const std::uint32_t at = collision_index(node, added.key);
    HashNode* const grown =
        reshape(heap, node, {.datamap = node->datamap + 1, .nodemap = 0, .entry = at, .entries = +1});
    write_entry(grown, at, added.key, added.value);
    return grown;
  }
  const std::uint32_t bit = bit_of(added.hash, shift);
  const std::uint32_t at = index_of(node->datamap, bit);
  if ((node->datamap & bit) == 0) return with_entry(heap, node, bit, at, added);
  // Another key is there: both go one level down. reshape() leaves us the reference of the one that it leaves out.
  const Value* const entry = node->entries() + at * node->entry_width();
  const NewEntry present{hash_key(entry[0]), entry[0], node->is_set() ? Value::nil() : entry[1]};
  const std::uint8_t set_flag = node->flags & HashNode::kSet;
  const std::uint32_t child_at = index_of(node->nodemap, bit);
  HashNode* const changed = reshape(heap, node, {.datamap = node->datamap ^ bit, .nodemap = node->nodemap | bit,
                                                 .entry = at, .entries = -1, .child = child_at, .children = +1});
  changed->children()[child_at] = make_pair(heap, set_flag, shift + kChampBits, present, added);
  return changed;
}

// The node without that entry, whose references are released.
HashNode* remove_here(Heap& heap, HashNode* node, std::uint64_t hash, std::uint32_t shift, std::uint32_t at) {
  const std::uint32_t width = node->entry_width();
  const Value key = node->entries()[at * width];
  const Value value = width == 2 ? node->entries()[at * width + 1] : Value::nil();
  const std::uint32_t datamap = node->is_collision() ? node->datamap - 1 : node->datamap ^ bit_of(hash, shift);
  HashNode* const changed =
      reshape(heap, node, {.datamap = datamap, .nodemap = node->nodemap, .entry = at, .entries = -1});
  heap.release(key);
  heap.release(value);
  return changed;
}

// A child that came down to one entry hands it to its parent.
HashNode* pull_up(Heap& heap, HashNode* parent, std::uint64_t hash, std::uint32_t shift, HashNode* child) {
  const Value key = child->entries()[0];
  const Value value = child->is_set() ? Value::nil() : child->entries()[1];
  heap.discard(child, object_size_bytes(child));
  const std::uint32_t bit = bit_of(hash, shift);
  const std::uint32_t at = index_of(parent->datamap, bit);
  HashNode* const changed =
      reshape(heap, parent, {.datamap = parent->datamap | bit, .nodemap = parent->nodemap ^ bit, .entry = at,
                             .entries = +1, .child = index_of(parent->nodemap, bit), .children = -1});
  write_entry(changed, at, key, value);
  return changed;
}

}  // namespace

HashNode* champ_empty(Heap& heap, bool is_set) {
  return make_node(heap, is_set ? HashNode::kSet : std::uint8_t{0}, 0, 0);
}

const Value* champ_find(const HashNode* root, std::uint64_t hash, Value key) {
  const HashNode* node = root;
  std::uint32_t shift = 0;
  for (; leads_down(node, hash, shift); shift += kChampBits) {
    node = node->children()[index_of(node->nodemap, bit_of(hash, shift))];
  }
  const std::uint32_t index = entry_index(node, hash, shift, key);
  return index == kNone ? nullptr : node->entries() + index * node->entry_width();
}

const Value* champ_find_text(const HashNode* root, std::uint64_t hash, std::string_view text) {
  const HashNode* node = root;
  std::uint32_t shift = 0;
  for (; leads_down(node, hash, shift); shift += kChampBits) {
    node = node->children()[index_of(node->nodemap, bit_of(hash, shift))];
  }
  std::uint32_t first = 0, last = node->entry_count();
  if (!node->is_collision()) {
    if ((node->datamap & bit_of(hash, shift)) == 0) return nullptr;
    first = index_of(node->datamap, bit_of(hash, shift));
    last = first + 1;
  }
  charge_text(text.size());
  for (std::uint32_t i = first; i < last; ++i) {
    const Value* const entry = node->entries() + i * node->entry_width();
    if (entry->is_string() && string_view_of(*entry) == text) return entry;
  }
  return nullptr;
}

bool champ_insert(Heap& heap, HashNode** root, std::uint64_t hash, Value taken_key, Value taken_value) {
  HashNode** slot = root;
  std::uint32_t shift = 0;
  for (; leads_down(*slot, hash, shift); shift += kChampBits) {
    *slot = own_node(heap, *slot);
    slot = child_slot(*slot, hash, shift);
  }
  const std::uint32_t index = entry_index(*slot, hash, shift, taken_key);
  if (index == kNone) {
    *slot = insert_here(heap, *slot, shift, {hash, taken_key, taken_value});
    return true;
  }
  HashNode* const node = *slot = own_node(heap, *slot);
  heap.release(taken_key);
  if (node->is_set()) {
    heap.release(taken_value);
    return false;
  }
  Value* const cell = node->entries() + index * 2 + 1;
  const Value old = *cell;
  *cell = taken_value;
  heap.release(old);
  return false;
}

void champ_remove(Heap& heap, HashNode** root, std::uint64_t hash, Value key) {
  HashNode** path[kChampDepthMax];
  std::uint32_t depth = 0;
  path[0] = root;
  for (; leads_down(*path[depth], hash, depth * kChampBits); ++depth) {
    *path[depth] = own_node(heap, *path[depth]);
    path[depth + 1] = child_slot(*path[depth], hash, depth * kChampBits);
  }
  HashNode* const last = *path[depth];
  const std::uint32_t shift = depth * kChampBits;
  *path[depth] = remove_here(heap, last, hash, shift, entry_index(last, hash, shift, key));
  for (; depth > 0; --depth) {
    HashNode* const child = *path[depth];
    if (child->entry_count() != 1 || child->child_count() != 0) return;
    *path[depth - 1] = pull_up(heap, *path[depth - 1], hash, (depth - 1) * kChampBits, child);
  }
}

Value* champ_own_value(Heap& heap, HashNode** root, std::uint64_t hash, Value key) {
  bool unshared = false;
  Value* const cell = champ_value(*root, hash, key, &unshared);
  if (cell == nullptr || unshared) return cell;
  HashNode** slot = root;
  for (std::uint32_t shift = 0;; shift += kChampBits) {
    HashNode* const node = *slot = own_node(heap, *slot);
    if (!leads_down(node, hash, shift)) return node->entries() + entry_index(node, hash, shift, key) * 2 + 1;
    slot = child_slot(node, hash, shift);
  }
}

Value* champ_value(HashNode* root, std::uint64_t hash, Value key, bool* unshared) {
  HashNode* node = root;
  *unshared = node->rc == 1;
  std::uint32_t shift = 0;
  for (; leads_down(node, hash, shift); shift += kChampBits) {
    node = *child_slot(node, hash, shift);
    *unshared = *unshared && node->rc == 1;
  }
  const std::uint32_t index = entry_index(node, hash, shift, key);
  return index == kNone ? nullptr : node->entries() + index * 2 + 1;
}

}  // namespace ptc
