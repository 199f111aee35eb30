// The slots and stages of builtins that call guest code: the contents of their frames at a safe point. The slots come
// after the arguments, and hold values (or nil) at all times. They are a part of the snapshot format: append only.
#pragma once
#include <cstdint>

#include "schema/builtin_id.h"

namespace ptc {

inline constexpr std::uint32_t kStepperSlots = 8;   // slots of the stepper, after the arguments
inline constexpr std::uint32_t kStepperRoom = 4;    // registers above the slots, where calls of the stepper begin

enum SortSlot : std::uint32_t {
  kSortItems, kSortKeys, kSortOrder, kSortMerged, kSortWidth, kSortLow, kSortLeft, kSortRight
};
enum SortStage : std::uint8_t {
  kSortStart, kSortNextKey, kSortAwaitKey, kSortMerge, kSortAwaitAnswer, kSortAwaitReverse
};
enum ParallelStage : std::uint8_t { kParallelStart, kParallelCollect };

// Slots of await and the like. Targets: one handle, or a vector of handles and of values that pass through. Deadline:
// when the wait ends by itself. Timeout: the length of the wait.
enum AwaitSlot : std::uint32_t { kAwaitTargets, kAwaitDeadline, kAwaitTimeout };
enum AwaitStage : std::uint8_t { kAwaitStart, kAwaitWait, kAwaitTimedOut };

// Returns whether, at that stage, the result of a call is (or will be) in the register above the slots.
constexpr bool stepper_awaits_result(BuiltinId builtin, std::uint16_t stage) {
  if (builtin != BuiltinId::sort && builtin != BuiltinId::sort_by) return false;
  return stage == kSortAwaitKey || stage == kSortAwaitAnswer || stage == kSortAwaitReverse;
}

}  // namespace ptc
