// The canonical order of a hashed map or set. Most comparisons are decided by one word made of each key beforehand
// (order_prefix.h).
#include <algorithm>
#include <vector>

#include "vm/value/account.h"
#include "vm/value/map_layout.h"
#include "vm/value/order.h"
#include "vm/value/order_prefix.h"
#include "vm/value/scratch.h"

namespace ptc {

namespace {

// A cursor has paid for the entries and their comparisons (map_build.cpp). Comparing collections part by part costs
// more; so many parts are free.
constexpr std::uint64_t kFreeComparedParts = 16'384;

struct SortKey {
  std::uint64_t prefix;
  std::uint32_t index;
};

std::vector<MapEntry> entries_of(const HashMap* hashed, std::uint32_t unit) {
  const bool is_set = hashed->kind == Kind::HashSet;
  std::vector<MapEntry> entries;
  entries.reserve(hashed->count);
  champ_visit(hashed->root, [&](const Value* entry) {
    work_done(unit);
    entries.push_back({entry[0], is_set ? entry[0] : entry[1]});
  });
  return entries;
}

std::vector<SortKey> keys_of(const std::vector<MapEntry>& entries, std::uint32_t unit) {
  const OrderPrefix prefix(entries, unit);
  std::vector<SortKey> keys;
  keys.reserve(entries.size());
  for (const MapEntry& entry : entries) {
    work_done(unit);
    keys.push_back({prefix.of(entry.key), static_cast<std::uint32_t>(keys.size())});
  }
  return keys;
}

}  // namespace

void sorted_entries(const HashMap* hashed, MapEntry* out) {
  const std::uint32_t unit = hashed->count > kSmallMax ? 1 : 0;   // few are never interrupted
  const HeldBytes held(std::uint64_t{hashed->count} * (sizeof(MapEntry) + sizeof(SortKey)));
  const std::vector<MapEntry> entries = entries_of(hashed, unit);
  std::vector<SortKey> keys = keys_of(entries, unit);
  std::uint64_t compared_parts = 0;
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    work_done(unit);
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return canonical_order(entries[a.index].key, entries[b.index].key, compared_parts) < 0;
  });
  if (compared_parts > kFreeComparedParts) charge_parts(compared_parts - kFreeComparedParts);
  for (const SortKey& key : keys) {
    work_done(unit);
    *out++ = entries[key.index];
  }
}

}  // namespace ptc
