// The slots of builtins that call guest code, stage by stage. Their code reads numbers and vectors from there without
// looking at tags, so everything that it relies on is checked here.
#include <algorithm>

#include "vm/exec/stepper_slots.h"
#include "vm/snapshot/fiber_check.h"
#include "vm/value/map.h"
#include "vm/value/pending.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Own slots from there on hold nothing yet: filling them in forgets what they held.
bool are_empty(const Value* own, std::uint32_t from) {
  return std::all_of(own + from, own + kStepperSlots, [](Value v) { return v.is_nil(); });
}

bool is_position(Value v, std::int64_t least, std::int64_t most) { return v.is_int() && v.i >= least && v.i <= most; }

// A vector of indices below `count`.
bool are_indices(Value v, std::uint32_t count, CheckContext& context) {
  if (!v.is_vector()) return false;
  if (v.object->kind == Kind::RangeVector) {
    const std::int64_t most = std::int64_t{count} - 1;   // a range has elements, and is steady
    return is_position(vector_at(v, 0), 0, most) && is_position(vector_at(v, vector_count(v) - 1), 0, most);
  }
  if (!context.spend(vector_count(v))) return false;
  for (std::uint32_t k = 0, n = vector_count(v); k < n; ++k) {
    if (!is_position(vector_at(v, k), 0, std::int64_t{count} - 1)) return false;
  }
  return true;
}

std::string check_merge(const Value* own, std::uint16_t stage, CheckContext& context) {
  const std::uint32_t count = vector_count(own[kSortItems]);
  if (vector_count(own[kSortKeys]) != count || count < 1) return "sort: keys missing";
  if (!are_indices(own[kSortOrder], count, context) || vector_count(own[kSortOrder]) != count) return "sort: order";
  if (!are_indices(own[kSortMerged], count, context)) return "sort: merged";
  if (!is_position(own[kSortWidth], 1, std::int64_t{2} * count)) return "sort: width";
  if (!is_position(own[kSortLow], 0, count)) return "sort: low";
  const std::int64_t low = own[kSortLow].i, width = own[kSortWidth].i;
  const std::int64_t middle = std::min<std::int64_t>(low + width, count);
  const std::int64_t high = std::min<std::int64_t>(low + 2 * width, count);
  if (!is_position(own[kSortLeft], low, middle) || !is_position(own[kSortRight], middle, high)) return "sort: runs";
  const std::int64_t done = own[kSortLeft].i + (own[kSortRight].i - middle);
  if (std::int64_t{vector_count(own[kSortMerged])} != done) return "sort: merged";
  const bool asked = stage == kSortAwaitAnswer || stage == kSortAwaitReverse;
  if (asked && (own[kSortLeft].i >= middle || own[kSortRight].i >= high)) return "sort: nothing to compare";
  return {};
}

std::string check_sort(const FrameState& frame, const Value* slots, CheckContext& context, bool on_top) {
  const std::uint32_t arg_count = frame.slot_count - kStepperSlots;
  const Value* const own = slots + arg_count;
  if (!on_top && !stepper_awaits_result(frame.builtin, frame.stage)) return "sort: calls nothing";
  switch (frame.stage) {
    case kSortStart: return are_empty(own, 0) ? "" : "sort: slots that nothing filled";
    case kSortNextKey:
    case kSortAwaitKey: {
      if (!own[kSortItems].is_vector() || !own[kSortKeys].is_vector()) return "sort: items";
      if (!are_empty(own, kSortOrder)) return "sort: slots that nothing filled";
      const std::uint32_t wanted = vector_count(own[kSortItems]), have = vector_count(own[kSortKeys]);
      return have < wanted || (have == wanted && frame.stage == kSortNextKey) ? "" : "sort: more keys than items";
    }
    case kSortMerge:
    case kSortAwaitAnswer:
    case kSortAwaitReverse:
      if (!own[kSortItems].is_vector() || !own[kSortKeys].is_vector()) return "sort: items";
      return check_merge(own, frame.stage, context);
    default: return "sort: unknown stage";
  }
}

std::string check_parallel(const FrameState& frame, const Value* slots, const FiberState& fiber, bool on_top) {
  if (!on_top) return "branches below another frame";
  if (!are_empty(slots + frame.slot_count - kStepperSlots, 0)) return "branches: slots that nothing filled";
  if (frame.stage == kParallelStart && fiber.state == Fiber::State::Ready) return {};
  const bool collects = fiber.state == Fiber::State::Ready || fiber.state == Fiber::State::WaitsForBranches;
  return frame.stage == kParallelCollect && collects ? "" : "branches: unknown stage";
}

bool is_await(BuiltinId id) {
  switch (id) {
    case BuiltinId::await:
    case BuiltinId::await_all:
    case BuiltinId::await_any:
    case BuiltinId::await_settled:
    case BuiltinId::await_signal:
    case BuiltinId::sleep:
    case BuiltinId::h_await_call: return true;
    default: return false;
  }
}

bool are_targets(Value targets, BuiltinId form, CheckContext& context) {
  const auto known = [&](Value v) { return !v.is(Tag::Pending) || context.operations.contains(pending_id_of(v)); };
  if (targets.is(Tag::Pending)) {
    return known(targets) && form != BuiltinId::await_all && form != BuiltinId::await_any;
  }
  const bool several = form == BuiltinId::await_all || form == BuiltinId::await_any ||
                       form == BuiltinId::await_settled;
  if (!targets.is_vector() || !several) return false;
  const std::uint32_t count = vector_count(targets);
  if (!context.spend(count)) return false;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (!known(vector_at(targets, k))) return false;
  }
  return count > 0 || form != BuiltinId::await_any;
}

std::string check_await(const FrameState& frame, const Value* slots, const FiberState& fiber,
                        CheckContext& context, bool on_top) {
  const std::uint32_t arg_count = frame.slot_count - kStepperSlots;
  if (!on_top) return "await: below another frame";
  const Value* const own = slots + arg_count;
  const bool ready = fiber.state == Fiber::State::Ready;
  switch (frame.stage) {
    case kAwaitStart: return ready && are_empty(own, 0) ? "" : "await: start";
    case kAwaitWait:
      if (!ready && fiber.state != Fiber::State::WaitsForOperations) return "await: waits for something else";
      break;
    case kAwaitTimedOut:
      if (!ready) return "await: waits after its time";
      break;
    default: return "await: unknown stage";
  }
  if (!are_targets(own[kAwaitTargets], frame.builtin, context)) return "await: what it waits for";
  const bool of_map = own[kAwaitTargets].is_vector() && slots[0].is_map();
  if (of_map && map_count(slots[0]) != vector_count(own[kAwaitTargets])) return "await: its map";
  for (const AwaitSlot slot : {kAwaitDeadline, kAwaitTimeout}) {
    if (!own[slot].is_nil() && !own[slot].is_int()) return "await: its time";
  }
  return {};
}

}  // namespace

std::string check_stepper(const FrameState& frame, const Value* slots, const FiberState& fiber,
                          CheckContext& context, bool on_top) {
  if (frame.slot_count < kStepperSlots) return "too few slots";
  const std::uint32_t arg_count = frame.slot_count - kStepperSlots;
  const BuiltinInfo& info = builtin_info(frame.builtin);
  const auto most = static_cast<std::uint32_t>(info.max_args), least = static_cast<std::uint32_t>(info.min_args);
  if (arg_count < least || (info.max_args != kVariadic && arg_count > most)) {
    return std::string(info.name) + ": another number of arguments";
  }
  if (is_await(frame.builtin)) return check_await(frame, slots, fiber, context, on_top);
  const bool waits_elsewhere = fiber.state != Fiber::State::Ready && fiber.state != Fiber::State::WaitsForTool;
  switch (frame.builtin) {
    case BuiltinId::sort:
    case BuiltinId::sort_by:
      if (on_top && waits_elsewhere) return "sort: waits for something else";
      if (on_top && Fiber::is_inside_call(fiber.state) && !stepper_awaits_result(frame.builtin, frame.stage)) {
        return "sort: calls nothing";
      }
      return check_sort(frame, slots, context, on_top);
    case BuiltinId::pmap:
    case BuiltinId::pcalls: return check_parallel(frame, slots, fiber, on_top);
    default: return "a builtin that calls nothing";
  }
}

}  // namespace ptc
