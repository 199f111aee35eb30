// The effect classes of tools, made from effects.def: the enum, names, and what may be done about a call in doubt.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

enum class EffectClass : std::uint8_t {
#define EFFECT(id, name, in_doubt, record, what) id,
#include "schema/effects.def"
#undef EFFECT
};

enum class InDoubt : std::uint8_t { CallAgain, AskTool, AskPerson };
enum class EffectRecord : std::uint8_t { Recorded, Unrecorded };

struct EffectInfo {
  std::string_view name;
  InDoubt in_doubt;
  EffectRecord record;
  std::string_view what;
};

inline constexpr auto kEffectClasses = std::to_array<EffectInfo>({
#define EFFECT(id, name, in_doubt, record, what) {name, InDoubt::in_doubt, EffectRecord::record, what},
#include "schema/effects.def"
#undef EFFECT
});

constexpr const EffectInfo& effect_info(EffectClass of) { return kEffectClasses[static_cast<std::size_t>(of)]; }
constexpr std::string_view effect_class_name(EffectClass of) { return effect_info(of).name; }
constexpr bool is_recorded(EffectClass of) { return effect_info(of).record == EffectRecord::Recorded; }

// Says whether a call that a dead process has left open may be made again without asking, with the same key.
constexpr bool is_called_again(EffectClass of) { return effect_info(of).in_doubt == InDoubt::CallAgain; }

// Returns the class of this name, or nullopt when no class has the name.
constexpr std::optional<EffectClass> find_effect_class(std::string_view name) {
  for (std::size_t at = 0; at < kEffectClasses.size(); ++at) {
    if (kEffectClasses[at].name == name) return static_cast<EffectClass>(at);
  }
  return std::nullopt;
}

// Returns the class that a log or a snapshot means by this text. A text without a meaning is Unsafe: nothing is called
// twice because of a word that nobody knows.
constexpr EffectClass read_effect_class(std::string_view text) {
  return find_effect_class(text).value_or(EffectClass::Unsafe);
}

}  // namespace ptc
