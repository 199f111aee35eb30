// An order word has 64 bits that order as the value does among values of one plain kind, so that sorting many values
// compares, or counts, words instead of values.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vm/value/value.h"

namespace ptc {

inline std::uint64_t int_order_word(std::int64_t n) { return static_cast<std::uint64_t>(n) ^ std::uint64_t{1} << 63; }
std::uint64_t float_order_word(double x);               // x is not NaN; both zeros give one word
std::uint64_t text_order_word(std::string_view text);   // uses the first 8 bytes; equal words decide nothing

std::string_view key_text(Value v);   // v is a string, or a keyword, which gives its name

struct OrderEntry {
  std::uint64_t word;
  std::uint32_t index;
};

// Sorts stably by word. Resizes `scratch` as needed.
void sort_by_word(std::vector<OrderEntry>& entries, std::vector<OrderEntry>& scratch);

// Sorts keys natively when they are all ints, all numbers that doubles hold exactly, all strings, all keywords, or
// vectors of one length whose columns are each of these. Returns false for other keys. Otherwise `order` is the stable
// order of the keys under guest_compare.
bool plain_order(std::span<const Value> keys, bool descending, std::vector<std::uint32_t>& order);
// Returns whether all keys are numbers of one plain kind, without NaN.
bool are_plain_numbers(std::span<const Value> keys);

}  // namespace ptc
