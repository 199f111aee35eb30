// Making maps at once from keys and values, and reading them as a whole in canonical order.
#include <algorithm>
#include <array>
#include <bit>

#include "vm/value/account.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/map_layout.h"
#include "vm/value/order.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

// Up to kSmallMax pairs whose keys differ from the keys of every live map of names: sorted in by insertion, which keeps
// the first of equal keys and the last of their values.
Value small_from(Heap& heap, std::span<const Value> taken_keys, std::span<const Value> taken_values) {
  Value keys[kSmallMax];
  Value values[kSmallMax];
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < taken_keys.size(); ++i) {
    std::uint32_t at = count;
    int order = 1;
    while (at > 0 && (order = canonical_order(keys[at - 1], taken_keys[i])) > 0) --at;
    if (at > 0 && order == 0) {
      heap.release(values[at - 1]);
      heap.release(taken_keys[i]);
      values[at - 1] = taken_values[i];
      continue;
    }
    std::copy_backward(keys + at, keys + count, keys + count + 1);
    std::copy_backward(values + at, values + count, values + count + 1);
    keys[at] = taken_keys[i];
    values[at] = taken_values[i];
    ++count;
  }
  SmallMap* const map = make_small_map(heap, keys_of(heap, {keys, count}, Sharing::Interned));
  std::copy(values, values + count, map->values());
  return Value::of(Tag::Map, map);
}

}  // namespace

Value map_from(Heap& heap, std::span<Value> taken_keys, std::span<Value> taken_values) {
  if (taken_keys.size() > kSmallMax) {
    OwnedValues keys(heap, taken_keys), values(heap, taken_values);
    Owned map(heap, map_empty(heap));
    while (!keys.empty() && !heap.has_failed()) {
      work_done(1);
      const Value key = keys.take_next();
      map.reset(map_assoc(heap, map.take(), key, values.take_next()));
    }
    return map.take();
  }
  std::uint8_t places[kSmallMax];
  KeyArray* const shared = keys_find_interned(heap, taken_keys, places);
  if (shared == nullptr) return small_from(heap, taken_keys, taken_values);
  ++shared->rc;
  SmallMap* const map = make_small_map(heap, shared);
  for (std::size_t i = 0; i < taken_keys.size(); ++i) {
    map->values()[places[i]] = taken_values[i];
    heap.release(taken_keys[i]);
  }
  return Value::of(Tag::Map, map);
}

MapCursor::MapCursor(Heap& heap, Value borrowed_map_or_set, bool)
    : heap_(heap), source_(borrowed_map_or_set), key_(Value::nil()), value_(Value::nil()) {}

MapCursor::MapCursor(Heap& heap, Value borrowed_map_or_set) : MapCursor(heap, borrowed_map_or_set, true) {
  // From here on the destructor runs, also when sorting is interrupted.
  const Object* const object = source_.object;
  if (object->kind == Kind::SmallMap || object->kind == Kind::SmallSet) {
    count_ = object->extra;
    return;
  }
  count_ = as_hashed(source_)->count;
  if (count_ >= kFreeParts) charge_parts(std::uint64_t{count_} * static_cast<std::uint64_t>(std::bit_width(count_)));
  heap_.account(static_cast<std::int64_t>(count_ * sizeof(MapEntry)));
  sorted_ = std::make_unique_for_overwrite<MapEntry[]>(count_);
  sorted_entries(as_hashed(source_), sorted_.get());
}

MapCursor::~MapCursor() {
  if (sorted_ != nullptr) heap_.account(-static_cast<std::int64_t>(count_ * sizeof(MapEntry)));
}

bool MapCursor::next() {
  if (index_ == count_) return false;
  if (index_ % 16 == 15) work_done(16);
  const std::uint32_t i = index_++;
  if (sorted_ != nullptr) {
    key_ = sorted_[i].key;
    value_ = sorted_[i].value;
  } else if (source_.object->kind == Kind::SmallMap) {
    key_ = as_small_map(source_)->keys->keys()[i];
    value_ = as_small_map(source_)->values()[i];
  } else {
    key_ = value_ = as_small_set(source_)->keys->keys()[i];
  }
  return true;
}

Value map_keys(Heap& heap, Value borrowed_map) {
  VectorBuilder keys(heap);
  for (MapCursor at(heap, borrowed_map); at.next();) keys.push(retained(at.key()));
  return keys.finish();
}

Value map_values(Heap& heap, Value borrowed_map) {
  VectorBuilder values(heap);
  for (MapCursor at(heap, borrowed_map); at.next();) values.push(retained(at.value()));
  return values.finish();
}

Value map_entries(Heap& heap, Value borrowed_map) {
  VectorBuilder entries(heap);
  for (MapCursor at(heap, borrowed_map); at.next() && !heap.has_failed();) {
    entries.push(vector_of(heap, std::array{retained(at.key()), retained(at.value())}));
  }
  return entries.finish();
}

}  // namespace ptc
