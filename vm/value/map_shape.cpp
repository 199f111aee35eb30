#include "vm/value/map_shape.h"

#include <algorithm>

#include "vm/value/map_layout.h"
#include "vm/value/small_keys.h"

namespace ptc {

KeyArray* shared_keys(Value map) {
  if (map.object->kind != Kind::SmallMap) return nullptr;
  KeyArray* const keys = as_small_map(map)->keys;
  return (keys->flags & KeyArray::kInterned) != 0 ? keys : nullptr;
}

void MapShape::forget() {
  if (keys_ != nullptr) heap_.release(keys_);
  keys_ = nullptr;
}

bool MapShape::fits(std::span<const Value> pairs) const {
  if (keys_ == nullptr || pairs.size() != 2u * keys_->extra) return false;
  for (std::size_t i = 0; i < keys_->extra; ++i) {
    if (!same_word(keys_->keys()[places_[i]], pairs[2 * i])) return false;
  }
  return true;
}

Value MapShape::make(std::span<const Value> taken_pairs) const {
  ++keys_->rc;
  SmallMap* const map = make_small_map(heap_, keys_);
  for (std::size_t i = 0; i < keys_->extra; ++i) {
    heap_.release(taken_pairs[2 * i]);
    map->values()[places_[i]] = taken_pairs[2 * i + 1];
  }
  return Value::of(Tag::Map, map);
}

void MapShape::learn(std::span<const Value> pairs, Value borrowed_map) {
  forget();
  KeyArray* const keys = shared_keys(borrowed_map);
  if (keys == nullptr || keys->extra > places_.size() || pairs.size() != 2u * keys->extra) return;
  const Value* const first = keys->keys();
  const Value* const end = first + keys->extra;
  for (std::size_t i = 0; i < keys->extra; ++i) {
    const Value key = pairs[2 * i];
    const Value* const at = std::find_if(first, end, [key](Value other) { return same_word(key, other); });
    if (at == end) return;
    places_[i] = static_cast<std::uint8_t>(at - first);
  }
  keys_ = keys;
  ++keys_->rc;
}

Value MapShape::make_record(std::span<const Value> taken_values) const {
  ++keys_->rc;
  SmallMap* const map = make_small_map(heap_, keys_);
  for (std::size_t i = 0; i < taken_values.size(); ++i) map->values()[places_[i]] = taken_values[i];
  return Value::of(Tag::Map, map);
}

void MapShape::learn(std::span<const std::string_view> names, Value borrowed_map) {
  forget();
  KeyArray* const keys = shared_keys(borrowed_map);
  if (keys == nullptr || keys->extra > places_.size() || names.size() != keys->extra) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint32_t at = keys_find_text(keys, names[i]);
    if (at == kNotFound) return;
    places_[i] = static_cast<std::uint8_t>(at);
  }
  keys_ = keys;
  ++keys_->rc;
}

}  // namespace ptc
