// The kinds of facts, made from facts.def: the enum, and what the columns say about each kind.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

enum class FactKind : std::uint16_t {
#define FACT(id, ...) id,
#include "schema/facts.def"
#undef FACT
};

// The words of the columns; facts.def says what each of them means.
enum class FactClass : std::uint8_t { Observation, Effect, Decision, Control };
enum class FactScope : std::uint8_t { Notable, Single };
enum class CallMark : std::uint8_t { None, Opens, Settles, Resets };

struct FactInfo {
  std::string_view name;
  FactClass fact_class;
  FactScope scope;
  std::string_view key;   // what its keys begin with, before "/"
  CallMark call;
  std::string_view what;
};

inline constexpr auto kFacts = std::to_array<FactInfo>({
#define FACT(id, name, fact_class, scope, key, call, what) \
  {name, FactClass::fact_class, FactScope::scope, key, CallMark::call, what},
#include "schema/facts.def"
#undef FACT
});

// A fact that outdates decisions is read whenever a run is opened.
static_assert(std::ranges::none_of(kFacts, [](const FactInfo& row) {
  const bool outdates = row.fact_class == FactClass::Observation || row.fact_class == FactClass::Decision;
  return outdates && row.scope != FactScope::Notable;
}));

constexpr const FactInfo& fact_info(FactKind kind) { return kFacts[static_cast<std::size_t>(kind)]; }
constexpr std::string_view fact_name(FactKind kind) { return fact_info(kind).name; }
constexpr FactClass fact_class(FactKind kind) { return fact_info(kind).fact_class; }

}  // namespace ptc
