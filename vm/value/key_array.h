// The table of key arrays that small maps share: one array for each set of keyword and string keys in a heap, found by
// content.
//
// The table is weak: it holds no references, and Heap removes an array that dies. The table has only arrays of keywords
// and strings, because records have such keys. The hash of an array is a sum over its keys, so the hash of "this array
// plus that key" is known without making the array.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vm/value/equality.h"
#include "vm/value/object.h"

namespace ptc {

class KeyArrayTable {
 public:
  // Returns what a key adds to the hash of its array.
  static std::uint64_t key_part(Value name) {
    return name.is_keyword() ? name.keyword->hash | 1 : std::rotl(hash_key(name), 32) | 1;
  }
  static bool can_intern(Value key) { return key.is_keyword() || key.is_string(); }

  // Returns the array of that hash for which matches(array) is true, borrowed, or null.
  template <class Matches>
  KeyArray* find(std::uint64_t hash, Matches matches) const {
    if (slots_.empty()) return nullptr;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask; slots_[i] != nullptr; i = (i + 1) & mask) {
      if (slots_[i]->hash == hash && matches(*slots_[i])) return slots_[i];
    }
    return nullptr;
  }
  void insert(KeyArray* array);    // needs array->hash; sets kInterned
  void erase(KeyArray* array);

  // Returns the place in the array that flexible access with that keyword finds: the result of find(), which is
  // remembered.
  template <class Find>
  std::uint32_t flexible_place(const KeyArray* interned, const Keyword* keyword, Find find) {
    if (flexible_ == nullptr) flexible_ = std::make_unique<FlexibleLines>();
    FlexibleLine& line = (*flexible_)[line_of(interned)];
    if (line.array != interned) line = {interned, {}};
    FlexiblePlace& known = line.places[keyword->serial % kPlacesInLine];
    if (known.keyword != keyword) known = {keyword, find()};
    return known.index;
  }

 private:
  static constexpr std::size_t kLines = 4;           // the number of arrays with remembered places
  static constexpr std::size_t kPlacesInLine = 8;
  struct FlexiblePlace {
    const Keyword* keyword = nullptr;
    std::uint32_t index = 0;
  };
  struct FlexibleLine {
    const KeyArray* array = nullptr;
    std::array<FlexiblePlace, kPlacesInLine> places{};
  };
  using FlexibleLines = std::array<FlexibleLine, kLines>;

  static std::size_t line_of(const KeyArray* array) {
    const auto address = reinterpret_cast<std::uintptr_t>(array);
    return (address >> 4 ^ address >> 6) % kLines;
  }
  void grow();

  std::vector<KeyArray*> slots_;   // open addressing, power of two
  std::size_t count_ = 0;
  std::unique_ptr<FlexibleLines> flexible_;   // made on first use
};

}  // namespace ptc
