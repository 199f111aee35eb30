// Sets: a private sorted key array up to kSmallMax members, a CHAMP trie without values above.
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/map_layout.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

Value of(Object* set) { return Value::of(Tag::Set, set); }
bool is_small(Value set) { return set.object->kind == Kind::SmallSet; }

Value make_small_set(Heap& heap, KeyArray* taken_keys) {
  SmallSet* const set = heap.make<SmallSet>(Kind::SmallSet);
  set->extra = taken_keys->extra;
  set->keys = taken_keys;
  return of(set);
}

// The set's keys with a reference of the caller's own, unshared if the set was; gives the set up.
KeyArray* take_keys(Heap& heap, SmallSet* taken) {
  KeyArray* const keys = taken->keys;
  if (taken->rc == 1) {
    heap.discard(taken, sizeof(SmallSet));
  } else {
    ++keys->rc;
    --taken->rc;
  }
  return keys;
}

HashMap* hashed_of_small(Heap& heap, SmallSet* taken) {
  HashNode* root = champ_empty(heap, true);
  for (std::uint32_t i = 0; i < taken->extra; ++i) {
    const Value key = taken->keys->keys()[i];
    champ_insert(heap, &root, hash_key(key), retained(key), Value::nil());
  }
  HashMap* const set = make_hashed(heap, Kind::HashSet, root, taken->extra);
  heap.release(taken);
  return set;
}

Value small_of_hashed(Heap& heap, HashMap* taken) {
  MapEntry entries[kSmallMax];
  Value keys[kSmallMax];
  const std::uint32_t count = taken->count;
  sorted_entries(taken, entries);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = retained(entries[i].key);
  heap.release(taken);
  return make_small_set(heap, keys_of(heap, {keys, count}, Sharing::Private));
}

Value hashed_add(Heap& heap, HashMap* taken, Value taken_item) {
  HashMap* const set = own_hashed(heap, taken);
  const bool added = champ_insert(heap, &set->root, hash_key(taken_item), taken_item, Value::nil());
  set->count += added ? 1 : 0;
  return of(set);
}

}  // namespace

Value set_empty(Heap& heap) { return make_small_set(heap, keys_of(heap, {}, Sharing::Private)); }

std::uint32_t set_count(Value set) { return is_small(set) ? set.object->extra : as_hashed(set)->count; }

bool set_contains(Value set, Value key) { return !set_find(set, key).is_absent(); }

Value set_find(Value set, Value key) {
  if (is_small(set)) {
    const KeyArray* const keys = as_small_set(set)->keys;
    const std::uint32_t i = keys_find(keys, key);
    return i == kNotFound ? Value::absent() : keys->keys()[i];
  }
  const Value* const entry = champ_find(as_hashed(set)->root, hash_key(key), key);
  return entry == nullptr ? Value::absent() : entry[0];
}

Value set_add(Heap& heap, Value taken_set, Value taken_item) {
  if (!is_small(taken_set)) return hashed_add(heap, as_hashed(taken_set), taken_item);
  SmallSet* const small = as_small_set(taken_set);
  if (keys_find(small->keys, taken_item) != kNotFound) {
    heap.release(taken_item);
    return taken_set;
  }
  if (small->extra == kSmallMax) return hashed_add(heap, hashed_of_small(heap, small), taken_item);
  std::uint32_t position = 0;
  return make_small_set(heap, keys_with(heap, take_keys(heap, small), taken_item, Sharing::Private, &position));
}

Value set_remove(Heap& heap, Value taken_set, Value borrowed_item) {
  if (is_small(taken_set)) {
    const std::uint32_t i = keys_find(as_small_set(taken_set)->keys, borrowed_item);
    if (i == kNotFound) return taken_set;
    KeyArray* const keys = take_keys(heap, as_small_set(taken_set));
    return make_small_set(heap, keys_without(heap, keys, i, Sharing::Private));
  }
  const std::uint64_t hash = hash_key(borrowed_item);
  if (champ_find(as_hashed(taken_set)->root, hash, borrowed_item) == nullptr) return taken_set;
  HashMap* const set = own_hashed(heap, as_hashed(taken_set));
  champ_remove(heap, &set->root, hash, borrowed_item);
  --set->count;
  return set->count > kSmallMax ? of(set) : small_of_hashed(heap, set);
}

Value set_items(Heap& heap, Value borrowed_set) { return map_keys(heap, borrowed_set); }

}  // namespace ptc
