// CHAMP tries (compressed hash-array mapped prefix trees) over hash_key, for maps and sets of more than kSmallMax
// entries. For vm/value only.
//
// Invariant: the shape depends on the keys alone, never on the order of changes: a node below the root has at least
// two entries in its subtree, and nodes below the last hash bit keep their entries in canonical order. Equality and
// hash rely on it. What changes a trie takes the place where the root's reference lies, copies shared nodes on the way
// and writes the others in place.
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

// The entry (key, and in maps the value behind it) of that key, or null.
const Value* champ_find(const HashNode* root, std::uint64_t hash, Value key);
// Takes key and value. True: a new entry; false: the value was replaced, the old key stays.
bool champ_insert(Heap& heap, HashNode** root, std::uint64_t hash, Value taken_key, Value taken_value);
// The key must be there.
void champ_remove(Heap& heap, HashNode** root, std::uint64_t hash, Value key);
// The value's cell with everything above it owned by this trie alone; null when there is none.
Value* champ_own_value(Heap& heap, HashNode** root, std::uint64_t hash, Value key);
// The value's cell; *unshared says whether root and everything above the cell has one owner. Null when there is none.
Value* champ_value(HashNode* root, std::uint64_t hash, Value key, bool* unshared);

// The string of that text among the keys, as champ_find.
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
      const std::uint32_t words = entered->entry_words();
      for (std::uint32_t i = 0; i < entered->entry_count(); ++i) visit(entered->entries() + i * words);
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
