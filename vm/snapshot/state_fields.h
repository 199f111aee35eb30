// Lists the plain parts of the state of a run by name, for the JSON face: one list for its writer and its reader.
#pragma once
#include <array>
#include <string_view>

#include "schema/limits.h"
#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

inline constexpr std::array<std::string_view, 7> kFiberStateNames = {
    "ready", "waits_for_tool", "waits_for_operations", "waits_for_task", "waits_for_branches", "finished", "faulted"};
inline constexpr std::array<std::string_view, 3> kOperationKindNames = {"tool", "sleep", "signal"};
inline constexpr std::array<std::string_view, 5> kOperationStatusNames = {"waiting", "ok", "error", "cancelled",
                                                                          "expired"};
inline constexpr std::array<std::string_view, 3> kOutstandingNames = {"detach", "cancel", "error"};
inline constexpr std::array<std::string_view, 3> kToolModeNames = {"sync", "async", "auto"};

// Returns how the JSON face spells a limit.
inline std::string_view limit_member(const LimitInfo& limit) {
  const std::string_view earlier = earlier_spelling(limit, LimitPlace::Snapshot);
  return earlier.empty() ? limit.name : earlier;
}

// The last limit that the JSON face always writes. Later ones are only there when they are not the default, so that
// readers which do not know them take the snapshots of those who do not use them.
inline constexpr int kLastWrittenLimitField = 15;

// Calls visit(name, number&) for each.
template <class State, class Visit>
void for_each_budget_used(State& state, Visit visit) {
  visit("fuel", state.fuel_used);
  visit("tool_calls", state.tool_calls);
  visit("print_bytes", state.print_bytes);
  visit("memory_bytes_peak", state.bytes_peak);
  visit("suspensions", state.suspensions);
}

// Visits the numbers of the next operation, request, fiber or function.
template <class State, class Visit>
void for_each_counter(State& state, Visit visit) {
  visit("operations_before", state.operations_before);
  visit("last_sequence", state.last_sequence);
  visit("last_fresh_id", state.last_fresh_id);
  visit("next_request", state.next_request);
  visit("next_fiber_id", state.next_fiber_id);
  visit("closure_serial", state.closure_serial);
}

template <class Fiber, class Visit>
void for_each_fiber_number(Fiber& fiber, Visit visit) {
  visit("request", fiber.request_id);
  visit("calls", fiber.calls);
  visit("fork_call", fiber.fork_call);
  visit("operations", fiber.operations);
  visit("fork_operation", fiber.fork_operation);
  visit("stack_size", fiber.stack_size);
  visit("frame_capacity", fiber.frame_capacity);
}

template <class Fiber, class Visit>
void for_each_fiber_text(Fiber& fiber, Visit visit) {
  visit("request_task", fiber.request_task);
  visit("request_path", fiber.request_path);
  visit("request_key", fiber.request_key);
  visit("waits_for_task", fiber.waits_for_task);
  visit("fault_message", fiber.fault_message);
  visit("fault_found", fiber.fault_found);
  visit("fault_stack", fiber.fault_stack);
}

template <class Operation, class Visit>
void for_each_operation_text(Operation& operation, Visit visit) {
  visit("reason", operation.reason);
  visit("task", operation.task_id);
  visit("call_path", operation.call_path);
  visit("key", operation.key);
}

template <class Operation, class Visit>
void for_each_operation_flag(Operation& operation, Visit visit) {
  visit("delivered", operation.delivered);
  visit("detached", operation.detached);
  visit("awaits_at_call", operation.awaits_at_call);
}

template <class Host, class SomeLimits, class Visit>
void for_each_host_field(Host& host, SomeLimits& limits, Visit visit) {
  visit("source_name", host.source_name);
  visit("signature", host.signature);
  visit("float_precision", host.float_precision);
  visit("strict_task_ids", host.strict_task_ids);
  visit("check_tools", host.check_tools);
  visit("max_symbols", limits.symbols);
  visit("timeout_ms", limits.timeout_ms);
  visit("active_ms", host.active_ms);
}

}  // namespace ptc
