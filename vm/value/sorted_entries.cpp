// The canonical order of a hashed map or set. Most comparisons are decided by one word made of each key beforehand:
// its prefix, monotone in canonical order among keys of one tag.
#include <algorithm>
#include <vector>

#include "vm/value/map_layout.h"
#include "vm/value/order.h"
#include "vm/value/order_word.h"
#include "vm/value/scratch.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

struct SortKey {
  std::uint64_t prefix;
  std::uint32_t index;
  bool has_prefix;
};

// Keys of one tag only: then prefixes compare with each other.
SortKey sort_key(Value key, std::uint32_t index) {
  if (key.is_int()) return {int_order_word(key.i), index, true};
  if (key.is_string()) return {text_order_word(string_view_of(key)), index, true};
  if (key.is_keyword()) return {text_order_word(key.keyword->name()), index, true};
  return {0, index, false};
}

}  // namespace

void sorted_entries(const HashMap* hashed, MapEntry* out) {
  const std::uint32_t unit = hashed->count > kSmallMax ? 1 : 0;   // few are never interrupted
  const bool is_set = hashed->kind == Kind::HashSet;
  const HeldBytes held(std::uint64_t{hashed->count} * (sizeof(MapEntry) + sizeof(SortKey)));
  std::vector<MapEntry> entries;
  std::vector<SortKey> keys;
  entries.reserve(hashed->count);
  keys.reserve(hashed->count);
  bool one_tag = true;
  champ_visit(hashed->root, [&](const Value* entry) {
    work_done(unit);
    keys.push_back(sort_key(entry[0], static_cast<std::uint32_t>(entries.size())));
    entries.push_back({entry[0], is_set ? entry[0] : entry[1]});
    one_tag = one_tag && entry[0].tag == entries[0].key.tag;
  });
  const bool use_prefix = one_tag && keys[0].has_prefix;
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    work_done(unit);
    if (use_prefix && a.prefix != b.prefix) return a.prefix < b.prefix;
    return canonical_order(entries[a.index].key, entries[b.index].key) < 0;
  });
  for (const SortKey& key : keys) {
    work_done(unit);
    *out++ = entries[key.index];
  }
}

}  // namespace ptc
