// Shared by the files that make and change maps and sets. For vm/value only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/value/champ.h"
#include "vm/value/heap.h"
#include "vm/value/small_keys.h"

namespace ptc {

inline SmallMap* as_small_map(Value v) { return static_cast<SmallMap*>(v.object); }
inline SmallSet* as_small_set(Value v) { return static_cast<SmallSet*>(v.object); }
inline HashMap* as_hashed(Value v) { return static_cast<HashMap*>(v.object); }   // takes sets, too

inline std::size_t small_map_size(std::uint32_t count) { return sizeof(SmallMap) + count * sizeof(Value); }

// Makes a map with room for the values of these keys, and takes the reference to the keys.
inline SmallMap* make_small_map(Heap& heap, KeyArray* taken_keys) {
  const std::uint32_t count = taken_keys->extra;
  SmallMap* const map = heap.make<SmallMap>(Kind::SmallMap, small_map_size(count));
  map->extra = static_cast<std::uint16_t>(count);
  map->keys = taken_keys;
  return map;
}

// An entry of a map, or the member of a set with nil.
struct MapEntry {
  Value key, value;
};

HashMap* make_hashed(Heap& heap, Kind kind, HashNode* taken_root, std::uint32_t count);
HashMap* own_hashed(Heap& heap, HashMap* taken);

// Writes the entries of a hashed map or set in canonical order, borrowed, to `out`, which has room for all of them.
void sorted_entries(const HashMap* hashed, MapEntry* out);

}  // namespace ptc
