// What a run does with its operations (vm/builtins/operations.h) beside calling tools: sleeps and signals, what the
// host says about one, what is left at the end of a turn, and which tools must be told that nobody waits.
//
// Invariant: at most limits().pending_operations operations wait at once.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/exec/call_sites.h"
#include "vm/exec/probes.h"
#include "vm/exec/run_core.h"

namespace ptc {

bool has_room_for_operation(RunCore& core);              // false: pending_limit_exceeded is raised
Value handle_of(Heap& heap, const Operation& operation);
std::string subject_of(const Operation& operation);       // "op1 (ask)", for messages
std::int64_t later(std::int64_t time, std::int64_t by);  // INT64_MAX when that is too late
// Returns why an operation that did not end well failed, for messages and records; "" for one that did.
std::string settlement_text(const Operation& operation);

class RunOperations {
 public:
  RunOperations(RunCore& core, CallSites& sites, Probes& probes) : core_(core), sites_(sites), probes_(probes) {}

  Value open(Fiber& fiber, Operation taken);             // a sleep or a signal: its handle, or Absent: fault raised
  void cancel(std::string_view id, std::string reason);  // when it waits; the host will be told
  ResolveStatus can_resolve(std::string_view id, const Settlement& settlement) const;
  ResolveStatus resolve(std::string_view id, Settlement settlement);
  // Holds a turn that ended well against the policy for what still waits. Returns what it ended with.
  StepStatus settle_outstanding(StepStatus status);

  const std::vector<std::string>& cancel_requests() const { return cancel_requests_; }
  std::vector<std::string> take_cancel_requests() { return std::exchange(cancel_requests_, {}); }
  void restore_cancel_requests(std::vector<std::string> ids) { cancel_requests_ = std::move(ids); }

 private:
  Heap& heap() const { return core_.heap(); }
  Operations& operations() const { return core_.env().operations; }

  RunCore& core_;
  CallSites& sites_;
  Probes& probes_;
  std::vector<std::string> cancel_requests_;
};

}  // namespace ptc
