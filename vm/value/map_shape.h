// The keys of the map that was made last, in the order they were given: makers of many records of the same keys need
// not look for the shared array of keys (key_array.h) again.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

// The keys of a map that all maps with the same names share, borrowed: keywords and strings. Null: it has its own.
KeyArray* shared_keys(Value map);

class MapShape {
 public:
  explicit MapShape(Heap& heap) : heap_(heap) {}
  ~MapShape() { forget(); }
  MapShape(const MapShape&) = delete;
  MapShape& operator=(const MapShape&) = delete;

  // Key, value, key, value, …: the very keys of the shape?
  bool fits(std::span<const Value> pairs) const;
  // A map of pairs that fit; takes them.
  Value make(std::span<const Value> taken_pairs) const;
  // Remembers the map that was made of these pairs, whose keys may be gone by now.
  void learn(std::span<const Value> pairs, Value borrowed_map);

  // The same for records of fixed names, of which only the values come.
  bool is_known() const { return keys_ != nullptr; }
  Value make_record(std::span<const Value> taken_values) const;   // when it is known; one for each name
  void learn(std::span<const std::string_view> names, Value borrowed_map);

 private:
  void forget();

  Heap& heap_;
  KeyArray* keys_ = nullptr;              // owned
  std::array<std::uint8_t, 32> places_{};   // by position in the pairs: where the key is in the array
};

}  // namespace ptc
