// Counts how often items occur. Strings have a flat table in front of the resulting map: an item that occurs again
// costs one look into the table instead of a walk through the map.
//
// A string that finds no place near its home is counted in the map, and finish() adds up both. Crafted hashes make the
// table useless, and not slow.
#pragma once
#include <cstdint>
#include <span>

#include "vm/value/heap.h"

namespace ptc {

class ItemCounter {
 public:
  ItemCounter(Heap& heap, std::uint32_t items);   // `items` is an estimate
  ~ItemCounter();
  ItemCounter(const ItemCounter&) = delete;
  ItemCounter& operator=(const ItemCounter&) = delete;

  void add(Value borrowed) {
    if (!has_table_ || !borrowed.is_string() || !count_in_table(borrowed)) count_in_map(borrowed, 1);
  }
  Value finish();             // returns a map from item to count; call it once

 private:
  struct Slot {
    String* text;             // owned; null when the slot is free
    std::uint32_t hash;       // the upper half of the hash
    std::uint32_t count;
  };

  bool count_in_table(Value string);
  void count_in_map(Value item, std::int64_t times);
  Slot* place_of(std::uint64_t hash, const String* text) const;
  bool grow();
  void drop(std::span<Slot>& slots);
  static void work_done_at(const Slot& slot, std::span<const Slot> slots);

  Heap& heap_;
  Value counts_;              // owned
  bool has_table_;
  std::span<Slot> slots_;     // open addressing, a power of two
  std::span<Slot> old_slots_; // while the table grows: slots that have not moved yet
  std::size_t used_ = 0;
};

}  // namespace ptc
