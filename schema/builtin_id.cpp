#include "schema/builtin_id.h"

#include <algorithm>

namespace ptc {
namespace {

struct NameIndex {
  std::string_view name;
  std::uint16_t index;
};

consteval auto sorted_names() {
  std::array<NameIndex, kBuiltinCount> names{};
  for (std::size_t i = 0; i < kBuiltinCount; ++i) names[i] = {kBuiltins[i].name, static_cast<std::uint16_t>(i)};
  std::sort(names.begin(), names.end(), [](const NameIndex& a, const NameIndex& b) { return a.name < b.name; });
  return names;
}

constexpr auto kSorted = sorted_names();

}  // namespace

std::optional<BuiltinId> find_builtin(std::string_view name) {
  const auto at = std::lower_bound(kSorted.begin(), kSorted.end(), name,
                                   [](const NameIndex& entry, std::string_view n) { return entry.name < n; });
  if (at == kSorted.end() || at->name != name) return std::nullopt;
  return static_cast<BuiltinId>(at->index);
}

}  // namespace ptc
