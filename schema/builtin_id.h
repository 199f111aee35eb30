// The builtins as an enum and an array of facts, made from builtins.def.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

inline constexpr int kVariadic = -1;

enum class BuiltinId : std::uint16_t {
#define B(id, name, min, max, kind, category, usage, doc) id,
#include "schema/builtins.def"
#undef B
};

enum class BuiltinKind : std::uint8_t { Plain, Stepper, Prelude };
enum class BuiltinCategory : std::uint8_t { Core, String, Set, Regex, Walk, Json, Interop, Hidden };

struct BuiltinInfo {
  std::string_view name;
  int min_args;
  int max_args;   // kVariadic: any number
  BuiltinKind kind;
  BuiltinCategory category;
  std::string_view usage;
  std::string_view doc;
};

inline constexpr auto kBuiltins = std::to_array<BuiltinInfo>({
#define B(id, name, min, max, kind, category, usage, doc) \
  {name, min, max, BuiltinKind::kind, BuiltinCategory::category, usage, doc},
#include "schema/builtins.def"
#undef B
});

inline constexpr std::size_t kBuiltinCount = kBuiltins.size();

constexpr const BuiltinInfo& builtin_info(BuiltinId id) { return kBuiltins[static_cast<std::size_t>(id)]; }

constexpr bool accepts(const BuiltinInfo& info, std::size_t count) {
  return count >= static_cast<std::size_t>(info.min_args) &&
         (info.max_args == kVariadic || count <= static_cast<std::size_t>(info.max_args));
}
constexpr bool accepts(BuiltinId id, std::size_t count) { return accepts(builtin_info(id), count); }

// Ends at once, and takes any arguments: the hidden ones rely on what they are given.
constexpr bool is_plain_call(const BuiltinInfo& info) {
  return info.kind == BuiltinKind::Plain && info.category != BuiltinCategory::Hidden;
}

// Returns the builtin of that exact name (also hidden ones), or nullopt.
std::optional<BuiltinId> find_builtin(std::string_view name);

}  // namespace ptc
