// Sorting without comparing values. Columns of words are sorted by counting digits when there are many, the last column
// first, which is right because every pass is stable. Descending order turns the words around, so equal keys stay in
// their order either way.
#include "vm/value/order_word.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "vm/value/scratch.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

constexpr std::uint32_t kDigitBits = 11;
constexpr std::uint32_t kDigits = 6;                    // a 64-bit word has so many
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
constexpr std::size_t kFewEntries = 1024;               // fewer are compared
constexpr std::uint32_t kMaxColumns = 4;
constexpr std::int64_t kExactInts = std::int64_t{1} << 53;

enum class PlainKind : std::uint8_t { Ints, Numbers, Strings, Keywords, None };

// What is done to each of many elements, with a question to the host now and then. Nothing but vectors may be held.
void for_each_patiently(auto&& elements, auto&& visit) {
  constexpr std::size_t kBlock = 16 * 1024, kElementsPerUnit = 8;
  const std::span all(elements);
  for (std::size_t begin = 0; begin < all.size(); begin += kBlock) {
    const auto block = all.subspan(begin, std::min(kBlock, all.size() - begin));
    work_done(static_cast<std::uint32_t>(block.size() / kElementsPerUnit));
    for (auto& element : block) visit(element);
  }
}

std::size_t digit_of(std::uint64_t word, std::uint32_t digit) { return (word >> (digit * kDigitBits)) % kBuckets; }

void sort_by_digits(std::vector<OrderEntry>& entries, std::vector<OrderEntry>& scratch) {
  std::vector<std::array<std::uint32_t, kBuckets>> counts(kDigits);
  for_each_patiently(entries, [&counts](const OrderEntry& entry) {
    for (std::uint32_t d = 0; d < kDigits; ++d) ++counts[d][digit_of(entry.word, d)];
  });
  scratch.resize(entries.size());
  for (std::uint32_t d = 0; d < kDigits; ++d) {
    if (counts[d][digit_of(entries[0].word, d)] == entries.size()) continue;   // all alike
    std::uint32_t before = 0;
    for (std::uint32_t& count : counts[d]) before += std::exchange(count, before);
    for_each_patiently(entries, [&](const OrderEntry& entry) {
      scratch[counts[d][digit_of(entry.word, d)]++] = entry;
    });
    entries.swap(scratch);
  }
}

PlainKind kind_of(Value v) {
  switch (v.tag) {
    case Tag::Int: return PlainKind::Ints;
    case Tag::Float: return std::isnan(v.d) ? PlainKind::None : PlainKind::Numbers;
    case Tag::String: return PlainKind::Strings;
    case Tag::Keyword: return PlainKind::Keywords;
    default: return PlainKind::None;
  }
}

bool is_exact(Value v) { return !v.is_int() || (v.i >= -kExactInts && v.i <= kExactInts); }

Value column_of(Value key, bool in_vector, std::uint32_t column) { return in_vector ? vector_at(key, column) : key; }

PlainKind column_kind(std::span<const Value> keys, bool in_vector, std::uint32_t column) {
  bool has_floats = false, exact = true;
  PlainKind kind = kind_of(column_of(keys[0], in_vector, column));
  for (std::size_t i = 0; i < keys.size() && kind != PlainKind::None; ++i) {
    const Value v = column_of(keys[i], in_vector, column);
    const PlainKind own = kind_of(v);
    has_floats = has_floats || v.is_float();
    exact = exact && is_exact(v);
    const bool both_numbers = own <= PlainKind::Numbers && kind <= PlainKind::Numbers;
    if (own != kind) kind = both_numbers ? PlainKind::Numbers : PlainKind::None;
  }
  return has_floats && !exact ? PlainKind::None : kind;
}

std::uint64_t word_of(Value v, PlainKind kind) {
  switch (kind) {
    case PlainKind::Ints: return int_order_word(v.i);
    case PlainKind::Numbers: return float_order_word(v.is_int() ? static_cast<double>(v.i) : v.d);
    case PlainKind::Strings: return text_order_word(string_view_of(v));
    default: return text_order_word(v.keyword->name());
  }
}

class PlainSort {
 public:
  PlainSort(std::span<const Value> keys, bool descending)
      : keys_(keys), turn_(descending ? ~std::uint64_t{0} : 0), held_(2 * keys.size() * sizeof(OrderEntry)) {
    entries_.reserve(keys.size());
    for_each_patiently(keys, [this](const Value&) {
      entries_.push_back({0, static_cast<std::uint32_t>(entries_.size())});
    });
  }

  void by_column(bool in_vector, std::uint32_t column, PlainKind kind) {
    for_each_patiently(entries_, [&](OrderEntry& entry) {
      entry.word = word_of(column_of(keys_[entry.index], in_vector, column), kind) ^ turn_;
    });
    if (kind < PlainKind::Strings) {
      sort_by_word(entries_, scratch_);
      return;
    }
    const auto less = [&](const OrderEntry& a, const OrderEntry& b) {
      work_done(1);
      if (a.word != b.word) return a.word < b.word;
      const int order = compare_utf16(key_text(column_of(keys_[a.index], in_vector, column)),
                                      key_text(column_of(keys_[b.index], in_vector, column)));
      return turn_ != 0 ? order > 0 : order < 0;
    };
    std::stable_sort(entries_.begin(), entries_.end(), less);
  }

  void write_order(std::vector<std::uint32_t>& order) const {
    order.resize(entries_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = entries_[i].index;
  }

 private:
  std::span<const Value> keys_;
  std::uint64_t turn_;
  HeldBytes held_;   // what both lists take
  std::vector<OrderEntry> entries_, scratch_;
};

}  // namespace

std::string_view key_text(Value v) { return v.is_string() ? string_view_of(v) : v.keyword->name(); }

std::uint64_t float_order_word(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  return (bits >> 63) != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

// Bytes are renamed so that they order as UTF-16 does: the lead bytes F0..F4 (surrogates) come before EE and EF.
std::uint64_t text_order_word(std::string_view text) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    std::uint32_t byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    if (byte >= 0xf0) {
      byte -= 2;
    } else if (byte >= 0xee) {
      byte += 5;
    }
    word = word << 8 | byte;
  }
  return word;
}

void sort_by_word(std::vector<OrderEntry>& entries, std::vector<OrderEntry>& scratch) {
  if (entries.size() >= kFewEntries) {
    sort_by_digits(entries, scratch);
    return;
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const OrderEntry& a, const OrderEntry& b) { return a.word < b.word; });
}

bool plain_order(std::span<const Value> keys, bool descending, std::vector<std::uint32_t>& order) {
  order.clear();
  if (keys.empty()) return true;
  const bool in_vector = keys[0].is_vector();
  const std::uint32_t columns = in_vector ? vector_count(keys[0]) : 1;
  if (columns == 0 || columns > kMaxColumns) return false;
  for (const Value key : keys) {
    if (key.is_vector() != in_vector || (in_vector && vector_count(key) != columns)) return false;
  }
  std::array<PlainKind, kMaxColumns> kinds{};
  for (std::uint32_t c = 0; c < columns; ++c) {
    kinds[c] = column_kind(keys, in_vector, c);
    if (kinds[c] == PlainKind::None) return false;
  }
  PlainSort sort(keys, descending);
  for (std::uint32_t c = columns; c-- > 0;) sort.by_column(in_vector, c, kinds[c]);
  sort.write_order(order);
  return true;
}

bool are_plain_numbers(std::span<const Value> keys) {
  return keys.empty() || column_kind(keys, false, 0) <= PlainKind::Numbers;
}

}  // namespace ptc
