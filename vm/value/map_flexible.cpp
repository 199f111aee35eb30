// Flexible access: exactly, then keyword for string or string for keyword, then with "_" for every "-", keyword first.
#include <algorithm>
#include <string>

#include "vm/value/account.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/map_layout.h"
#include "vm/value/map_shape.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

// Where an entry lies; key null: nowhere.
struct Found {
  const Value* key = nullptr;
  const Value* value = nullptr;
};

Found small_entry(Value map, std::uint32_t i) {
  if (i == kNotFound) return {};
  return {as_small_map(map)->keys->keys() + i, as_small_map(map)->values() + i};
}

Found hashed_entry(const Value* entry) { return entry == nullptr ? Found{} : Found{entry, entry + 1}; }

Found find_key(Value map, Value key) {
  if (map.object->kind == Kind::SmallMap) return small_entry(map, keys_find(as_small_map(map)->keys, key));
  return hashed_entry(champ_find(as_hashed(map)->root, hash_key(key), key));
}

Found find_text(Value map, std::string_view text) {
  if (map.object->kind == Kind::SmallMap) return small_entry(map, keys_find_text(as_small_map(map)->keys, text));
  return hashed_entry(champ_find_text(as_hashed(map)->root, hash_bytes(text), text));
}

Found find_keyword(const Heap& heap, Value map, std::string_view name) {
  const Keyword* const keyword = heap.find_interned(name);
  return keyword == nullptr ? Found{} : find_key(map, Value::of(keyword));
}

constexpr std::size_t kLongestTwin = 4096;   // a longer one asks for its memory

// What the key stands for when the map does not have it itself.
Found find_other(Heap& heap, Value map, Value key) {
  if (!key.is_keyword() && !key.is_string()) return {};
  const std::string_view name = key.is_keyword() ? key.keyword->name() : string_view_of(key);
  Found found = key.is_keyword() ? find_text(map, name) : find_keyword(heap, map, name);
  charge_text(2 * name.size());   // found and hashed, and looked for a "-"
  if (found.key != nullptr || name.find('-') == std::string_view::npos) return found;
  charge_text(6 * name.size());   // copied, written anew, hashed twice and found twice
  if (name.size() > kLongestTwin && !heap.can_allocate(name.size())) {
    heap.refuse();
    return {};
  }
  std::string twin(name);
  std::replace(twin.begin(), twin.end(), '-', '_');
  found = find_keyword(heap, map, twin);
  return found.key != nullptr ? found : find_text(map, twin);
}

// The same, looked up once for a keyword and all maps with the same keys.
Found find_known(Heap& heap, Value map, Value key) {
  KeyArray* const keys = shared_keys(map);
  if (keys == nullptr || !key.is_keyword()) return find_other(heap, map, key);
  return small_entry(map, heap.key_arrays().flexible_place(keys, key.keyword, [&] {
    const Found found = find_other(heap, map, key);
    return found.key == nullptr ? kNotFound : static_cast<std::uint32_t>(found.key - keys->keys());
  }));
}

}  // namespace

Value map_find_flexible(Heap& heap, Value map, Value key, Value* found_key) {
  Found found = find_key(map, key);
  if (found.key == nullptr) found = find_known(heap, map, key);
  if (found.key == nullptr) return Value::absent();
  if (found_key != nullptr) *found_key = *found.key;
  return *found.value;
}

}  // namespace ptc
