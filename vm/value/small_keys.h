// Finds, inserts, removes and shares the sorted key arrays of small maps and sets. For vm/value only.
//
// Arrays of maps whose keys are all keywords and strings are interned: one array for each set of keys in a heap, shared
// and never changed. Every other array, and every array of a set, belongs to its holder.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::uint32_t kNotFound = UINT32_MAX;

enum class Sharing : std::uint8_t { Interned, Private };   // says whether the array may be interned

std::uint32_t keys_find_slowly(const KeyArray* keys, Value key);   // finds strings, floats, collections …

// Returns the index of that key, or kNotFound.
inline std::uint32_t keys_find(const KeyArray* keys, Value key) {
  if (key.is_heap() || key.is_float()) return keys_find_slowly(keys, key);
  const Value* const all = keys->keys();
  for (std::uint32_t i = 0, n = keys->extra; i < n; ++i) {
    if (all[i].bits == key.bits && all[i].tag == key.tag) return i;
  }
  return kNotFound;
}
// Returns the index of the string of that text, or kNotFound.
std::uint32_t keys_find_text(const KeyArray* keys, std::string_view text);

// Makes an array of sorted, different keys, and takes them.
KeyArray* keys_of(Heap& heap, std::span<const Value> taken_sorted, Sharing sharing);
// Returns the array with one more key, which it must not have; *position is the index of the key.
KeyArray* keys_with(Heap& heap, KeyArray* taken, Value taken_key, Sharing sharing, std::uint32_t* position);
KeyArray* keys_without(Heap& heap, KeyArray* taken, std::uint32_t position, Sharing sharing);
// Returns the interned array of exactly these keys, in any order, borrowed; places[i] is the place of keys[i]. Returns
// null when there is no such array or a key is there twice.
KeyArray* keys_find_interned(Heap& heap, std::span<const Value> keys, std::uint8_t* places);

}  // namespace ptc
