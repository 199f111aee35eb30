// The kinds of fault, made from faults.def: the enum, the guest-visible names, the phase and the reach of each.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

enum class FaultKind : std::uint8_t {
#define FAULT(id, name, phase, reach, when) id,
#include "schema/faults.def"
#undef FAULT
};

enum class FaultPhase : std::uint8_t { Read, Static, Run, Limit, Host };
enum class FaultReach : std::uint8_t { Branch, Everything };

struct FaultInfo {
  std::string_view name;  // as the guest and the host see it
  FaultPhase phase;
  FaultReach reach;
  std::string_view when;
};

inline constexpr auto kFaults = std::to_array<FaultInfo>({
#define FAULT(id, name, phase, reach, when) {name, FaultPhase::phase, FaultReach::reach, when},
#include "schema/faults.def"
#undef FAULT
});

constexpr const FaultInfo& fault_info(FaultKind kind) { return kFaults[static_cast<std::size_t>(kind)]; }
constexpr std::string_view fault_name(FaultKind kind) { return fault_info(kind).name; }
// Returns whether a fault of that kind in a branch ends the whole run.
constexpr bool ends_everything(FaultKind kind) { return fault_info(kind).reach == FaultReach::Everything; }

// Returns the kind of that name, or nullopt.
constexpr std::optional<FaultKind> find_fault(std::string_view name) {
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    if (kFaults[i].name == name) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

}  // namespace ptc
