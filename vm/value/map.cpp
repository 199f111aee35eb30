// Maps: reading and changing one entry. Small maps are rebuilt when their keys change and written in place otherwise;
// hashed ones are left to champ.cpp.
#include "vm/value/map.h"

#include <algorithm>
#include <cstring>

#include "vm/value/equality.h"
#include "vm/value/map_layout.h"

namespace ptc {

namespace {

Value of(Object* map) { return Value::of(Tag::Map, map); }
bool is_small(Value map) { return map.object->kind == Kind::SmallMap; }

SmallMap* own_small(Heap& heap, SmallMap* taken) {
  if (taken->rc == 1) return taken;
  ++taken->keys->rc;
  SmallMap* const copy = make_small_map(heap, taken->keys);
  for (std::uint32_t i = 0; i < copy->extra; ++i) copy->values()[i] = retained(taken->values()[i]);
  --taken->rc;
  return copy;
}

void replace(Heap& heap, Value* cell, Value taken) {
  const Value old = *cell;
  *cell = taken;
  heap.release(old);
}

// One reference to every part of the map is the caller's after this; give_up() then lets go of the map alone.
void own_parts(SmallMap* map) {
  if (map->rc == 1) return;
  ++map->keys->rc;
  for (std::uint32_t i = 0; i < map->extra; ++i) retain(map->values()[i]);
}

void give_up(Heap& heap, SmallMap* map) {
  if (map->rc == 1) {
    heap.discard(map, small_map_size(map->extra));
  } else {
    --map->rc;
  }
}

Value small_insert(Heap& heap, SmallMap* taken, Value taken_key, Value taken_value) {
  own_parts(taken);
  std::uint32_t at = 0;
  SmallMap* const map = make_small_map(heap, keys_with(heap, taken->keys, taken_key, Sharing::Interned, &at));
  std::copy(taken->values(), taken->values() + at, map->values());
  std::copy(taken->values() + at, taken->values() + taken->extra, map->values() + at + 1);
  map->values()[at] = taken_value;
  give_up(heap, taken);
  return of(map);
}

Value small_remove(Heap& heap, SmallMap* taken, std::uint32_t at) {
  own_parts(taken);
  SmallMap* const map = make_small_map(heap, keys_without(heap, taken->keys, at, Sharing::Interned));
  std::copy(taken->values(), taken->values() + at, map->values());
  std::copy(taken->values() + at + 1, taken->values() + taken->extra, map->values() + at);
  const Value removed = taken->values()[at];
  give_up(heap, taken);
  heap.release(removed);
  return of(map);
}

HashMap* hashed_of_small(Heap& heap, SmallMap* taken) {
  HashNode* root = champ_empty(heap, false);
  for (std::uint32_t i = 0; i < taken->extra; ++i) {
    const Value key = taken->keys->keys()[i];
    champ_insert(heap, &root, hash_key(key), retained(key), retained(taken->values()[i]));
  }
  HashMap* const map = make_hashed(heap, Kind::HashMap, root, taken->extra);
  heap.release(taken);
  return map;
}

// A hashed map that came down to kSmallMax entries.
Value small_of_hashed(Heap& heap, HashMap* taken) {
  MapEntry entries[kSmallMax];
  Value keys[kSmallMax];
  const std::uint32_t count = taken->count;
  sorted_entries(taken, entries);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = retained(entries[i].key);
  SmallMap* const map = make_small_map(heap, keys_of(heap, {keys, count}, Sharing::Interned));
  for (std::uint32_t i = 0; i < count; ++i) map->values()[i] = retained(entries[i].value);
  heap.release(taken);
  return of(map);
}

Value hashed_assoc(Heap& heap, HashMap* taken, Value taken_key, Value taken_value) {
  HashMap* const map = own_hashed(heap, taken);
  const bool added = champ_insert(heap, &map->root, hash_key(taken_key), taken_key, taken_value);
  map->count += added ? 1 : 0;
  return of(map);
}

}  // namespace

HashMap* make_hashed(Heap& heap, Kind kind, HashNode* taken_root, std::uint32_t count) {
  HashMap* const hashed = heap.make<HashMap>(kind);
  hashed->count = count;
  hashed->unused = 0;
  hashed->root = taken_root;
  return hashed;
}

HashMap* own_hashed(Heap& heap, HashMap* taken) {
  if (taken->rc == 1) return taken;
  ++taken->root->rc;
  --taken->rc;
  return make_hashed(heap, taken->kind, taken->root, taken->count);
}

Value map_empty(Heap& heap) { return of(make_small_map(heap, keys_of(heap, {}, Sharing::Interned))); }

std::uint32_t map_count(Value map) { return is_small(map) ? map.object->extra : as_hashed(map)->count; }

Value map_find(Value map, Value key) {
  if (is_small(map)) {
    SmallMap* const small = as_small_map(map);
    const std::uint32_t i = keys_find(small->keys, key);
    return i == kNotFound ? Value::absent() : small->values()[i];
  }
  const Value* const entry = champ_find(as_hashed(map)->root, hash_key(key), key);
  return entry == nullptr ? Value::absent() : entry[1];
}

Value* map_find_mutable(Heap& heap, Value unique_map, Value key) {
  if (is_small(unique_map)) {
    SmallMap* const small = as_small_map(unique_map);
    const std::uint32_t i = keys_find(small->keys, key);
    return i == kNotFound ? nullptr : small->values() + i;
  }
  return champ_own_value(heap, &as_hashed(unique_map)->root, hash_key(key), key);
}

Value* map_own_value(Heap& heap, Value* map, Value key) {
  if (is_small(*map)) {
    SmallMap* small = as_small_map(*map);
    const std::uint32_t i = keys_find(small->keys, key);
    if (i == kNotFound) return nullptr;
    if (small->rc != 1) *map = of(small = own_small(heap, small));
    return small->values() + i;
  }
  HashMap* const hashed = own_hashed(heap, as_hashed(*map));
  *map = of(hashed);
  return champ_own_value(heap, &hashed->root, hash_key(key), key);
}

Value* map_follow(Value* place, std::span<const Value> keys, std::uint32_t* followed) {
  std::uint32_t at = 0;
  for (; at < keys.size() && place->is_map() && is_small(*place) && place->object->rc == 1; ++at) {
    SmallMap* const small = as_small_map(*place);
    const std::uint32_t i = keys_find(small->keys, keys[at]);
    if (i == kNotFound) break;
    place = small->values() + i;
  }
  *followed = at;
  return place;
}

Value map_assoc(Heap& heap, Value taken_map, Value taken_key, Value taken_value) {
  if (!is_small(taken_map)) return hashed_assoc(heap, as_hashed(taken_map), taken_key, taken_value);
  SmallMap* const small = as_small_map(taken_map);
  const std::uint32_t i = keys_find(small->keys, taken_key);
  if (i != kNotFound) {
    SmallMap* const map = own_small(heap, small);
    replace(heap, map->values() + i, taken_value);
    heap.release(taken_key);
    return of(map);
  }
  if (small->extra < kSmallMax) return small_insert(heap, small, taken_key, taken_value);
  return hashed_assoc(heap, hashed_of_small(heap, small), taken_key, taken_value);
}

Value map_dissoc(Heap& heap, Value taken_map, Value borrowed_key) {
  if (is_small(taken_map)) {
    const std::uint32_t i = keys_find(as_small_map(taken_map)->keys, borrowed_key);
    return i == kNotFound ? taken_map : small_remove(heap, as_small_map(taken_map), i);
  }
  const std::uint64_t hash = hash_key(borrowed_key);
  if (champ_find(as_hashed(taken_map)->root, hash, borrowed_key) == nullptr) return taken_map;
  HashMap* const map = own_hashed(heap, as_hashed(taken_map));
  champ_remove(heap, &map->root, hash, borrowed_key);
  --map->count;
  return map->count > kSmallMax ? of(map) : small_of_hashed(heap, map);
}

Value map_take_at(Heap&, Value borrowed_map, Value borrowed_key) {
  Value* cell = nullptr;
  bool unshared = is_unique(borrowed_map);
  if (is_small(borrowed_map)) {
    SmallMap* const small = as_small_map(borrowed_map);
    const std::uint32_t i = keys_find(small->keys, borrowed_key);
    if (i != kNotFound) cell = small->values() + i;
  } else {
    bool unshared_below = false;
    cell = champ_value(as_hashed(borrowed_map)->root, hash_key(borrowed_key), borrowed_key, &unshared_below);
    unshared = unshared && unshared_below;
  }
  if (cell == nullptr) return Value::absent();
  if (!unshared) return retained(*cell);
  const Value taken = *cell;
  *cell = Value::nil();
  return taken;
}

}  // namespace ptc
