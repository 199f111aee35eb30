// Slots and stages of the builtins that call guest code: what lies in their frames at a safe point. Slots after the
// arguments; all of a stepper's slots hold values (or nil) at all times. Part of the snapshot format: append only.
#pragma once
#include <cstdint>

#include "schema/builtin_id.h"

namespace ptc {

inline constexpr std::uint32_t kStepperSlots = 8;   // of its own, after the arguments
inline constexpr std::uint32_t kStepperRoom = 4;    // registers above the slots, where its calls begin

enum SortSlot : std::uint32_t {
  kSortItems, kSortKeys, kSortOrder, kSortMerged, kSortWidth, kSortLow, kSortLeft, kSortRight
};
enum SortStage : std::uint8_t {
  kSortStart, kSortNextKey, kSortAwaitKey, kSortMerge, kSortAwaitAnswer, kSortAwaitReverse
};
enum ParallelStage : std::uint8_t { kParallelStart, kParallelCollect };

// Of await and its kin. Targets: one handle, or a vector of handles and of values that pass through. Deadline: when the
// wait ends by itself; Timeout: how long it was to be.
enum AwaitSlot : std::uint32_t { kAwaitTargets, kAwaitDeadline, kAwaitTimeout };
enum AwaitStage : std::uint8_t { kAwaitStart, kAwaitWait, kAwaitTimedOut };

// At that stage the result of a call lies (or will lie) in the register above the slots.
constexpr bool stepper_awaits_result(BuiltinId builtin, std::uint16_t stage) {
  if (builtin != BuiltinId::sort && builtin != BuiltinId::sort_by) return false;
  return stage == kSortAwaitKey || stage == kSortAwaitAnswer || stage == kSortAwaitReverse;
}

}  // namespace ptc
