// Remembers the keys of the last map in the order in which they were given, so that code that makes many records of the
// same keys need not search for the shared array of keys (key_array.h) again.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

// Returns the keys that all maps with the same names share (keywords and strings), borrowed, or null when the map has
// its own keys.
KeyArray* shared_keys(Value map);

class MapShape {
 public:
  explicit MapShape(Heap& heap) : heap_(heap) {}
  ~MapShape() { forget(); }
  MapShape(const MapShape&) = delete;
  MapShape& operator=(const MapShape&) = delete;

  // Returns whether the pairs (key, value, key, value, …) have exactly the keys of the shape.
  bool fits(std::span<const Value> pairs) const;
  // Makes a map of pairs that fit, and takes them.
  Value make(std::span<const Value> taken_pairs) const;
  // Remembers the map that was made of these pairs, whose keys may be gone.
  void learn(std::span<const Value> pairs, Value borrowed_map);

  // Do the same for records of fixed names, of which only the values come.
  bool is_known() const { return keys_ != nullptr; }
  Value make_record(std::span<const Value> taken_values) const;   // needs is_known() and one value for each name
  void learn(std::span<const std::string_view> names, Value borrowed_map);

 private:
  void forget();

  Heap& heap_;
  KeyArray* keys_ = nullptr;              // owned
  std::array<std::uint8_t, 32> places_{};   // for each position in the pairs, the place of the key in the array
};

}  // namespace ptc
