// A prefix has 64 bits that order as canonical_order does: of two values with different prefixes, the one with the
// smaller prefix is the smaller one. Equal prefixes decide nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/value/map_layout.h"
#include "vm/value/value.h"

namespace ptc {

// Makes the prefixes of keys of a map or a set. The prefix of a vector or a small map has its count and the prefix of
// its first part, down to three levels. What the texts of all keys begin with is left out, when they have one tag.
class OrderPrefix {
 public:
  // The host is asked after `work` units for each key; 0: never.
  OrderPrefix(std::span<const MapEntry> entries, std::uint32_t work);
  std::uint64_t of(Value key) const;

 private:
  bool one_tag_ = false;
  std::size_t common_bytes_ = 0;
};

// Returns how many parts a vector, a map or a set has.
std::uint32_t collection_count(Value collection);
// Returns the place of a tag in canonical order; numbers share one. At most 31.
std::uint32_t order_rank(Tag tag);

}  // namespace ptc
