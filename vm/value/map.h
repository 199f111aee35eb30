// Persistent maps and sets. A collection of up to kSmallMax entries is a sorted key array (canonical order, order.h),
// shared between maps of the same shape, plus the values. A larger one is a CHAMP trie over 64-bit hashes with ordered
// collision nodes.
//
// Keys are compared by strict identity (same_key in equality.h: 1 and 1.0 differ, NaN equals itself). Iteration is
// always in canonical order. Functions that change a map or set take it, and work in place when they have the only
// reference. The size of a map decides its representation (a map that shrinks to kSmallMax becomes small again), so
// equal maps have one layout, whatever their history.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "vm/value/heap.h"

namespace ptc {

Value map_empty(Heap& heap);
std::uint32_t map_count(Value map);
// Returns the value at that key, borrowed, or Absent.
Value map_find(Value map, Value key);
// Returns the cell of the value, to be written in place, or null when the key does not exist. Only for a unique map
// that the caller owns; shared nodes inside of it are copied first.
Value* map_find_mutable(Heap& heap, Value unique_map, Value key);
// Finds a value by flexible access (keyword ~ string, then "-" ~ "_"). Returns it borrowed, or Absent. found_key
// (optional) receives the key of the map, borrowed.
Value map_find_flexible(Heap& heap, Value map, Value key, Value* found_key = nullptr);

// Returns the value of that key after making *map its only owner, which may make *map another map. Returns null when
// the key does not exist.
Value* map_own_value(Heap& heap, Value* map, Value key);
// Follows keys while they lead through small maps that only *place owns. Returns the place that the keys lead to.
// *followed is the number of keys that were followed.
Value* map_follow(Value* place, std::span<const Value> keys, std::uint32_t* followed);
Value map_assoc(Heap& heap, Value taken_map, Value taken_key, Value taken_value);   // an existing key stays
Value map_dissoc(Heap& heap, Value taken_map, Value borrowed_key);
// Moves the value at key out when the map is unique, and leaves nil in its place, which must be overwritten before
// other code sees the map. Otherwise returns a retained copy. Returns Absent when the key does not exist.
Value map_take_at(Heap& heap, Value borrowed_map, Value borrowed_key);

// Makes a map from parallel arrays, with keys in any order; when a key is there twice, the last one wins. Takes all
// elements. Small results share the key array with other maps of the same keys.
Value map_from(Heap& heap, std::span<Value> taken_keys, std::span<Value> taken_values);

struct MapEntry;   // map_layout.h

// Visits every entry in canonical order, borrowed. Must not be used across a safe point.
class MapCursor {
 public:
  MapCursor(Heap& heap, Value borrowed_map_or_set);
  ~MapCursor();
  MapCursor(const MapCursor&) = delete;
  MapCursor& operator=(const MapCursor&) = delete;
  bool next();                       // returns false at the end; calls work_done()
  Value key() const { return key_; }
  Value value() const { return value_; }   // returns the member again for sets

 private:
  MapCursor(Heap& heap, Value borrowed_map_or_set, bool is_empty);
  Heap& heap_;
  Value source_;
  Value key_, value_;
  std::uint32_t index_ = 0, count_ = 0;
  std::unique_ptr<MapEntry[]> sorted_;   // only for hashed collections; the heap counts it and does not provide it
};

Value map_keys(Heap& heap, Value borrowed_map);       // returns a vector in canonical order
Value map_values(Heap& heap, Value borrowed_map);     // returns a vector in key order
Value map_entries(Heap& heap, Value borrowed_map);    // returns a vector of [k v] in key order

Value set_empty(Heap& heap);
std::uint32_t set_count(Value set);
bool set_contains(Value set, Value key);
Value set_find(Value set, Value key);                 // returns the member, borrowed, or Absent
Value set_add(Heap& heap, Value taken_set, Value taken_item);
Value set_remove(Heap& heap, Value taken_set, Value borrowed_item);
Value set_items(Heap& heap, Value borrowed_set);      // returns a vector in canonical order

}  // namespace ptc
