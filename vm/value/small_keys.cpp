// Key arrays have no spare room: at most 32 words are copied, and arrays that many maps share must not change anyway.
#include "vm/value/small_keys.h"

#include <algorithm>
#include <cstring>

#include "vm/value/account.h"
#include "vm/value/equality.h"
#include "vm/value/order.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

std::size_t array_size(std::uint32_t count) { return sizeof(KeyArray) + count * sizeof(Value); }

KeyArray* make_array(Heap& heap, std::uint32_t count) {
  KeyArray* const keys = heap.make<KeyArray>(Kind::KeyArray, array_size(count));
  keys->extra = static_cast<std::uint16_t>(count);
  keys->hash = 0;
  return keys;
}

bool is_interned(const KeyArray* keys) { return (keys->flags & KeyArray::kInterned) != 0; }
bool is_ours(const KeyArray* keys) { return keys->rc == 1 && !is_interned(keys); }

bool same_text(Value string, std::string_view text) {
  if (string_view_of(string).size() != text.size()) return false;
  charge_text(text.size());
  return std::memcmp(string_view_of(string).data(), text.data(), text.size()) == 0;
}

// Equality of keywords and strings.
bool same_name(Value a, Value b) {
  return same_word(a, b) || (a.is_string() && b.is_string() && same_text(a, string_view_of(b)));
}

std::uint32_t lower_bound(const KeyArray* keys, Value key) {
  std::uint32_t low = 0, high = keys->extra;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (canonical_order(keys->keys()[middle], key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Strings of records are few and often alike, so their (cached) hashes are compared before their bytes.
std::uint32_t find_string(const KeyArray* keys, Value key) {
  const std::uint64_t hash = hash_key(key);
  for (std::uint32_t i = 0, n = keys->extra; i < n; ++i) {
    const Value candidate = keys->keys()[i];
    if (!candidate.is_string()) continue;
    if (candidate.bits == key.bits) return i;
    const std::uint64_t cached = static_cast<const String*>(candidate.object)->hash;
    if (cached != hash && cached != 0) continue;
    if (same_text(candidate, string_view_of(key))) return i;
  }
  return kNotFound;
}

// Moves the keys of an array of ours, or shares the keys of another one; then gives the array up. The new array has a
// gap of one at `position`, or lacks the key there, which the caller then owns.
KeyArray* copy_with_gap(Heap& heap, KeyArray* taken, std::uint32_t position) {
  const std::uint32_t count = taken->extra;
  KeyArray* const copy = make_array(heap, count + 1);
  std::copy(taken->keys(), taken->keys() + position, copy->keys());
  std::copy(taken->keys() + position, taken->keys() + count, copy->keys() + position + 1);
  if (is_ours(taken)) {
    heap.discard(taken, array_size(count));
    return copy;
  }
  for (std::uint32_t i = 0; i < count; ++i) retain(taken->keys()[i]);
  heap.release(taken);
  return copy;
}

// Where `added` is in `keys`, if these are otherwise the keys of `base`; else kNotFound. All of them are names.
std::uint32_t extension_position(const KeyArray& keys, const KeyArray* base, Value added) {
  if (keys.extra != base->extra + 1) return kNotFound;
  const std::uint32_t position = keys_find(&keys, added);
  if (position == kNotFound) return kNotFound;
  for (std::uint32_t i = 0; i < base->extra; ++i) {
    if (!same_name(keys.keys()[i < position ? i : i + 1], base->keys()[i])) return kNotFound;
  }
  return position;
}

KeyArray* interned_with(Heap& heap, KeyArray* taken, Value taken_key, std::uint32_t* position) {
  const std::uint64_t hash = taken->hash + KeyArrayTable::key_part(taken_key);
  KeyArray* result = heap.key_arrays().find(hash, [&](const KeyArray& keys) {
    return (*position = extension_position(keys, taken, taken_key)) != kNotFound;
  });
  if (result != nullptr) {
    ++result->rc;
    heap.release(taken_key);
    heap.release(taken);
    return result;
  }
  *position = lower_bound(taken, taken_key);
  result = copy_with_gap(heap, taken, *position);
  result->keys()[*position] = taken_key;
  result->hash = hash;
  heap.key_arrays().insert(result);
  return result;
}

}  // namespace

std::uint32_t keys_find_slowly(const KeyArray* keys, Value key) {
  if (key.is_string()) return find_string(keys, key);
  const std::uint32_t i = lower_bound(keys, key);
  return i < keys->extra && same_key(keys->keys()[i], key) ? i : kNotFound;
}

std::uint32_t keys_find_text(const KeyArray* keys, std::string_view text) {
  const Value* const all = keys->keys();
  for (std::uint32_t i = 0, n = keys->extra; i < n; ++i) {
    if (all[i].is_string() && same_text(all[i], text)) return i;
  }
  return kNotFound;
}

KeyArray* keys_of(Heap& heap, std::span<const Value> taken_sorted, Sharing sharing) {
  const bool names = std::all_of(taken_sorted.begin(), taken_sorted.end(), KeyArrayTable::can_intern);
  const bool interned = sharing == Sharing::Interned && names;
  std::uint64_t hash = 0;
  if (interned) {
    for (const Value key : taken_sorted) hash += KeyArrayTable::key_part(key);
    KeyArray* const found = heap.key_arrays().find(hash, [&](const KeyArray& keys) {
      return std::equal(taken_sorted.begin(), taken_sorted.end(), keys.keys(), keys.keys() + keys.extra, same_name);
    });
    if (found != nullptr) {
      ++found->rc;
      for (const Value key : taken_sorted) heap.release(key);
      return found;
    }
  }
  KeyArray* const keys = make_array(heap, static_cast<std::uint32_t>(taken_sorted.size()));
  std::copy(taken_sorted.begin(), taken_sorted.end(), keys->keys());
  if (interned) {
    keys->hash = hash;
    heap.key_arrays().insert(keys);
  }
  return keys;
}

KeyArray* keys_with(Heap& heap, KeyArray* taken, Value taken_key, Sharing sharing, std::uint32_t* position) {
  if (sharing == Sharing::Interned && is_interned(taken) && KeyArrayTable::can_intern(taken_key)) {
    return interned_with(heap, taken, taken_key, position);
  }
  *position = lower_bound(taken, taken_key);
  KeyArray* const keys = copy_with_gap(heap, taken, *position);
  keys->keys()[*position] = taken_key;
  return keys;
}

KeyArray* keys_without(Heap& heap, KeyArray* taken, std::uint32_t position, Sharing sharing) {
  Value left[kSmallMax];
  std::uint32_t count = 0;
  const bool ours = is_ours(taken);
  const Value removed = taken->keys()[position];
  for (std::uint32_t i = 0; i < taken->extra; ++i) {
    if (i == position) continue;
    if (!ours) retain(taken->keys()[i]);
    left[count++] = taken->keys()[i];
  }
  if (ours) {
    heap.discard(taken, array_size(taken->extra));
    heap.release(removed);
  } else {
    heap.release(taken);
  }
  return keys_of(heap, {left, count}, sharing);
}

KeyArray* keys_find_interned(Heap& heap, std::span<const Value> keys, std::uint8_t* places) {
  std::uint64_t hash = 0;
  for (const Value key : keys) {
    if (!KeyArrayTable::can_intern(key)) return nullptr;
    hash += KeyArrayTable::key_part(key);
  }
  return heap.key_arrays().find(hash, [&](const KeyArray& candidate) {
    if (candidate.extra != keys.size()) return false;
    std::uint32_t seen = 0;
    for (std::uint32_t i = 0; i < candidate.extra; ++i) {
      const std::uint32_t at = same_word(candidate.keys()[i], keys[i]) ? i : keys_find(&candidate, keys[i]);
      if (at == kNotFound || (seen & 1u << at) != 0) return false;
      seen |= 1u << at;
      places[i] = static_cast<std::uint8_t>(at);
    }
    return true;
  });
}

}  // namespace ptc
