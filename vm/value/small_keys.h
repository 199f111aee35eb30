// Sorted key arrays of small maps and sets: finding, inserting, removing, sharing. For vm/value only.
//
// Arrays of maps whose keys are all keywords and strings are interned: one array per set of keys in a heap, shared and
// never changed. All other arrays, and those of sets, belong to whoever holds them.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::uint32_t kNotFound = UINT32_MAX;

enum class Sharing : std::uint8_t { Interned, Private };   // may the array be interned?

std::uint32_t keys_find_slowly(const KeyArray* keys, Value key);   // strings, floats, collections …

// Index of that key, or kNotFound.
inline std::uint32_t keys_find(const KeyArray* keys, Value key) {
  if (key.is_heap() || key.is_float()) return keys_find_slowly(keys, key);
  const Value* const all = keys->keys();
  for (std::uint32_t i = 0, n = keys->extra; i < n; ++i) {
    if (all[i].bits == key.bits && all[i].tag == key.tag) return i;
  }
  return kNotFound;
}
// Index of the string of that text, or kNotFound.
std::uint32_t keys_find_text(const KeyArray* keys, std::string_view text);

// Sorted, different keys; takes them.
KeyArray* keys_of(Heap& heap, std::span<const Value> taken_sorted, Sharing sharing);
// The array with one more key (which it must not have), whose index there is written to *position.
KeyArray* keys_with(Heap& heap, KeyArray* taken, Value taken_key, Sharing sharing, std::uint32_t* position);
KeyArray* keys_without(Heap& heap, KeyArray* taken, std::uint32_t position, Sharing sharing);
// The interned array of exactly these keys, in any order, borrowed; places[i] is where keys[i] is. Null: none, or keys
// occur twice.
KeyArray* keys_find_interned(Heap& heap, std::span<const Value> keys, std::uint8_t* places);

}  // namespace ptc
