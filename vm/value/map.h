// Persistent maps and sets. Up to kSmallMax entries a sorted key array (canonical order, order.h) shared between maps
// of the same shape plus the values; above, a CHAMP trie over 64-bit hashes with ordered collision nodes.
//
// Keys are compared by strict identity (same_key in equality.h: 1 and 1.0 differ, NaN is itself). Iteration is always
// in canonical order. Functions that change a map or set take it and work in place when it is the only reference.
// A map keeps the representation its size asks for (shrinking to kSmallMax turns it small again), so equal maps of
// one history-free size class have one layout.
#pragma once
#include <cstdint>
#include <span>

#include "vm/value/heap.h"

namespace ptc {

Value map_empty(Heap& heap);
std::uint32_t map_count(Value map);
// The value at that key, borrowed, or Absent.
Value map_find(Value map, Value key);
// The cell of that key's value, to be written in place: null when absent. Only for a unique map that the caller owns;
// nodes inside that other maps share are copied first.
Value* map_find_mutable(Heap& heap, Value unique_map, Value key);
// Flexible access (keyword ~ string, then "-" ~ "_"): borrowed, or Absent. found_key (optional) receives the key that
// is in the map, borrowed.
Value map_find_flexible(Heap& heap, Value map, Value key, Value* found_key = nullptr);

// The value of that key with the map, which may become another one, owned by *map alone; null when there is none.
Value* map_own_value(Heap& heap, Value* map, Value key);
// Follows keys while they lead through small maps that *place alone owns and that have them: the place they lead to.
// *followed: how many of them.
Value* map_follow(Value* place, std::span<const Value> keys, std::uint32_t* followed);
Value map_assoc(Heap& heap, Value taken_map, Value taken_key, Value taken_value);   // the key already there stays
Value map_dissoc(Heap& heap, Value taken_map, Value borrowed_key);
// Moves the value at key out when the map is unique (nil stays in its place, to be written again before anyone sees
// it), else returns a retained copy; Absent when there is none.
Value map_take_at(Heap& heap, Value borrowed_map, Value borrowed_key);

// From parallel arrays, keys in any order; of equal keys the last wins. Takes all elements. Small results share the
// key array with other maps of the same keys.
Value map_from(Heap& heap, std::span<Value> taken_keys, std::span<Value> taken_values);

struct MapEntry;   // map_layout.h

// In canonical order: visits every entry, borrowed. Not to be used across a safe point.
class MapCursor {
 public:
  MapCursor(Heap& heap, Value borrowed_map_or_set);
  ~MapCursor();
  MapCursor(const MapCursor&) = delete;
  MapCursor& operator=(const MapCursor&) = delete;
  bool next();                       // false at the end; says work_done()
  Value key() const { return key_; }
  Value value() const { return value_; }   // for sets: the member again

 private:
  MapCursor(Heap& heap, Value borrowed_map_or_set, bool is_empty);
  Heap& heap_;
  Value source_;
  Value key_, value_;
  std::uint32_t index_ = 0, count_ = 0;
  MapEntry* sorted_ = nullptr;         // only for hashed collections
};

Value map_keys(Heap& heap, Value borrowed_map);       // vector, canonical order
Value map_values(Heap& heap, Value borrowed_map);     // vector, in key order
Value map_entries(Heap& heap, Value borrowed_map);    // vector of [k v], in key order

Value set_empty(Heap& heap);
std::uint32_t set_count(Value set);
bool set_contains(Value set, Value key);
Value set_find(Value set, Value key);                 // the member itself, borrowed, or Absent
Value set_add(Heap& heap, Value taken_set, Value taken_item);
Value set_remove(Heap& heap, Value taken_set, Value borrowed_item);
Value set_items(Heap& heap, Value borrowed_set);      // vector, canonical order

}  // namespace ptc
