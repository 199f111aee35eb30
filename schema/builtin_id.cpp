// Builtins by name: a table with open addressing, made by the compiler of this file.
#include "schema/builtin_id.h"

#include <array>
#include <cstdint>

namespace ptc {
namespace {

constexpr std::size_t kSlots = 1024;
static_assert(kBuiltinCount * 2 <= kSlots);
constexpr std::uint16_t kFree = UINT16_MAX;

constexpr std::size_t home_of(std::string_view name) {
  std::uint32_t hash = 2166136261;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return (hash ^ hash >> 15) % kSlots;
}

consteval auto slots_by_name() {
  std::array<std::uint16_t, kSlots> slots{};
  slots.fill(kFree);
  for (std::size_t i = 0; i < kBuiltinCount; ++i) {
    std::size_t at = home_of(kBuiltins[i].name);
    while (slots[at] != kFree) at = (at + 1) % kSlots;
    slots[at] = static_cast<std::uint16_t>(i);
  }
  return slots;
}

constexpr auto kByName = slots_by_name();

}  // namespace

std::optional<BuiltinId> find_builtin(std::string_view name) {
  for (std::size_t at = home_of(name); kByName[at] != kFree; at = (at + 1) % kSlots) {
    if (kBuiltins[kByName[at]].name == name) return static_cast<BuiltinId>(kByName[at]);
  }
  return std::nullopt;
}

}  // namespace ptc
