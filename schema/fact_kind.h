// The kinds of facts, made from facts.def: the enum, names, and the class of each.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

enum class FactKind : std::uint16_t {
#define FACT(id, name, fact_class, what) id,
#include "schema/facts.def"
#undef FACT
};

enum class FactClass : std::uint8_t { Observation, Effect, Decision, Control };

struct FactInfo {
  std::string_view name;
  FactClass fact_class;
  std::string_view what;
};

inline constexpr auto kFacts = std::to_array<FactInfo>({
#define FACT(id, name, fact_class, what) {name, FactClass::fact_class, what},
#include "schema/facts.def"
#undef FACT
});

constexpr const FactInfo& fact_info(FactKind kind) { return kFacts[static_cast<std::size_t>(kind)]; }
constexpr std::string_view fact_name(FactKind kind) { return fact_info(kind).name; }
constexpr FactClass fact_class(FactKind kind) { return fact_info(kind).fact_class; }

}  // namespace ptc
