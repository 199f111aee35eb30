#include "vm/value/order_prefix.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/order_word.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint32_t kRankBits = 5, kCountBits = 16;
constexpr std::uint32_t kLevels = 3;

template <class T>
const T* object_of(Value v) {
  return static_cast<const T*>(v.object);
}

// Rounding keeps the order of numbers, so integers and floats compare by the doubles next to them.
std::uint64_t number_word(Value v) {
  const double near = num_to_double(v);
  return std::isnan(near) ? ~std::uint64_t{0} : float_order_word(near);
}

// Returns the first part of a collection that is not empty, or nullopt if looking for it takes a walk.
std::optional<Value> first_part(Value collection) {
  switch (collection.object->kind) {
    case Kind::HashMap:
    case Kind::HashSet: return std::nullopt;
    case Kind::SmallMap: return as_small_map(collection)->keys->keys()[0];
    case Kind::SmallSet: return as_small_set(collection)->keys->keys()[0];
    default: return vector_at(collection, 0);
  }
}

std::uint64_t mixed_word(Value v, std::uint32_t levels);

std::uint64_t collection_word(Value v, std::uint32_t levels) {
  constexpr std::uint32_t kMostCount = (1u << kCountBits) - 1;
  const std::uint32_t count = collection_count(v);
  std::uint64_t word = std::uint64_t{std::min(count, kMostCount)} << (64 - kCountBits);
  if (count == 0 || count >= kMostCount || levels == 0) return word;
  if (const auto first = first_part(v)) word |= mixed_word(*first, levels - 1) >> kCountBits;
  return word;
}

// Returns a word that orders among values of the same rank.
std::uint64_t word_of(Value v, std::uint32_t levels) {
  switch (v.tag) {
    case Tag::Int:
    case Tag::Float:
    case Tag::BigInt: return number_word(v);
    case Tag::String: return text_order_word(string_view_of(v));
    case Tag::Keyword:
    case Tag::Tool: return text_order_word(v.keyword->name());
    case Tag::Date: return int_order_word(v.i);
    case Tag::Instant: return int_order_word(object_of<Instant>(v)->epoch_seconds);
    case Tag::Duration: return int_order_word(object_of<Duration>(v)->seconds);
    case Tag::Closure: return object_of<Closure>(v)->serial;
    case Tag::Vector:
    case Tag::Map:
    case Tag::Set: return collection_word(v, levels);
    default: return 0;
  }
}

// Returns a word that orders among all values.
std::uint64_t mixed_word(Value v, std::uint32_t levels) {
  return std::uint64_t{order_rank(v.tag)} << (64 - kRankBits) | word_of(v, levels) >> kRankBits;
}

// Returns how many bytes all texts begin with, up to a whole code point.
std::size_t common_bytes(std::span<const MapEntry> entries, std::uint32_t work) {
  constexpr std::size_t kMost = 256;
  std::string_view common = utf8_prefix(key_text(entries[0].key), kMost);
  for (const MapEntry& entry : entries) {
    work_done(work);
    const std::string_view text = key_text(entry.key);
    const auto differ = std::ranges::mismatch(common, text);
    common = common.substr(0, static_cast<std::size_t>(differ.in1 - common.begin()));
  }
  return utf8_prefix(key_text(entries[0].key), common.size()).size();
}

}  // namespace

std::uint32_t collection_count(Value collection) {
  return collection.is_vector() ? vector_count(collection)
         : collection.is_map()  ? map_count(collection)
                                : set_count(collection);
}

std::uint32_t order_rank(Tag tag) {
  switch (tag) {
    case Tag::Nil: return 0;
    case Tag::False: return 1;
    case Tag::True: return 2;
    case Tag::Int:
    case Tag::BigInt:
    case Tag::Float: return 3;
    case Tag::String: return 4;
    case Tag::Keyword: return 5;
    case Tag::Date: return 6;
    case Tag::Instant: return 7;
    case Tag::Duration: return 8;
    case Tag::Vector: return 9;
    case Tag::Map: return 10;
    case Tag::Set: return 11;
    case Tag::Builtin: return 12;
    case Tag::Tool: return 13;
    case Tag::Closure: return 14;
    case Tag::Regex: return 15;
    case Tag::Var: return 16;
    case Tag::Pending: return 17;
    case Tag::Absent:
    case Tag::Hidden: break;
  }
  return 18;
}

OrderPrefix::OrderPrefix(std::span<const MapEntry> entries, std::uint32_t work) {
  if (entries.empty()) return;
  const Value first = entries[0].key;
  one_tag_ = std::ranges::all_of(entries, [&](const MapEntry& entry) { return entry.key.tag == first.tag; });
  if (one_tag_ && (first.is_string() || first.is_keyword())) common_bytes_ = common_bytes(entries, work);
}

std::uint64_t OrderPrefix::of(Value key) const {
  if (!one_tag_) return mixed_word(key, kLevels);
  if (key.is_int()) return int_order_word(key.i);
  if (key.is_string() || key.is_keyword()) return text_order_word(key_text(key).substr(common_bytes_));
  return word_of(key, kLevels);
}

}  // namespace ptc
