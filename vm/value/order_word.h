// Order words: 64 bits of a value that order as the value does among values of one plain kind, so that sorting many of
// them compares, or counts, words instead of values.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vm/value/value.h"

namespace ptc {

inline std::uint64_t int_order_word(std::int64_t n) { return static_cast<std::uint64_t>(n) ^ std::uint64_t{1} << 63; }
std::uint64_t float_order_word(double x);               // no NaN; both zeros give one word
std::uint64_t text_order_word(std::string_view text);   // of its first 8 bytes: equal words decide nothing

struct OrderEntry {
  std::uint64_t word;
  std::uint32_t index;
};

// Stable by word; scratch is resized as needed.
void sort_by_word(std::vector<OrderEntry>& entries, std::vector<OrderEntry>& scratch);

// What the keys of a sort are when a native sort can do it without asking anybody: all ints, all numbers that doubles
// hold exactly, all strings, all keywords, or vectors of one length whose columns are each of these.
// False: they are not. Else `order` is the stable order of the keys as guest_compare has it.
bool plain_order(std::span<const Value> keys, bool descending, std::vector<std::uint32_t>& order);
// Whether all of them are numbers of one plain kind (no NaN).
bool are_plain_numbers(std::span<const Value> keys);

}  // namespace ptc
