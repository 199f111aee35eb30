// CHAMP tries (compressed hash-array mapped prefix trees) over hash_key, for maps and sets of more than kSmallMax
// entries. For vm/value only.
//
// Invariant: the shape depends on the keys alone, never on the order of changes. A node below the root has at least two
// entries in its subtree, and nodes below the last hash bit keep their entries in canonical order. Equality and hash
// rely on this. A function that changes a trie takes the place of the root's reference, copies shared nodes on the way,
// and writes the other nodes in place.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::uint32_t kChampBits = 5;
inline constexpr std::uint32_t kHashBits = 64;
inline constexpr std::uint32_t kChampDepthMax = 14;   // 13 levels of bitmap nodes and one of collision nodes

HashNode* champ_empty(Heap& heap, bool is_set);

// Returns the entry of that key (in maps the value is behind the key), or null.
const Value* champ_find(const HashNode* root, std::uint64_t hash, Value key);
// Takes key and value. Returns true for a new entry, or false when the value was replaced and the old key kept.
bool champ_insert(Heap& heap, HashNode** root, std::uint64_t hash, Value taken_key, Value taken_value);
// Removes a key, which must exist.
void champ_remove(Heap& heap, HashNode** root, std::uint64_t hash, Value key);
// Returns the cell of the value after making this trie the only owner of the cell and everything above it, or null when
// the key does not exist.
Value* champ_own_value(Heap& heap, HashNode** root, std::uint64_t hash, Value key);
// Returns the cell of the value, or null when the key does not exist. *unshared says whether root and everything above
// the cell have one owner.
Value* champ_value(HashNode* root, std::uint64_t hash, Value key, bool* unshared);

// Finds the key that is a string of that text, as champ_find() does.
const Value* champ_find_text(const HashNode* root, std::uint64_t hash, std::string_view text);

// Calls visit(entry) for every entry, in the order of the trie.
template <class Visit>
void champ_visit(const HashNode* root, Visit visit) {
  struct Level {
    const HashNode* node;
    std::uint32_t next;
  };
  Level path[kChampDepthMax];
  std::uint32_t depth = 0;
  const HashNode* entered = root;
  while (true) {
    if (entered != nullptr) {
      const std::uint32_t width = entered->entry_width();
      for (std::uint32_t i = 0; i < entered->entry_count(); ++i) visit(entered->entries() + i * width);
      path[depth++] = {entered, 0};
      entered = nullptr;
    }
    Level& top = path[depth - 1];
    if (top.next < top.node->child_count()) {
      entered = top.node->children()[top.next++];
    } else if (--depth == 0) {
      return;
    }
  }
}

}  // namespace ptc
