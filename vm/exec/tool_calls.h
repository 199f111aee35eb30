// Calls of tools: how a program makes them, how the host answers them, and what is recorded of them.
//
// Invariants: a fiber that waits for a tool has the record of that call as its last one, and a request with the same id
// is listed, except inside of a probe, whose calls have no request. A call in an open task that an earlier run made is
// not made again: it gets that run's operation.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vm/exec/call_sites.h"
#include "vm/exec/fiber_tree.h"
#include "vm/exec/probes.h"
#include "vm/exec/run_core.h"
#include "vm/exec/stepper_slots.h"
#include "vm/exec/tool_requests.h"

namespace ptc {

// Registers that the wait of an auto tool's call takes.
inline constexpr std::uint32_t kAwaitCallRegisters = 1 + kStepperSlots + kStepperRoom;

void pass_call(Fiber& fiber);                          // the call instruction on top is done with
void put_answer(Fiber& fiber, Value taken);            // takes the answer of the tool that the fiber waits for
// Pushes the wait of an auto tool's call: a stepper frame in the call's window. There must be kAwaitCallRegisters.
void push_await_call(Fiber& fiber, std::uint32_t window, Value taken_handle);

class ToolCalls {
 public:
  ToolCalls(RunCore& core, FiberTree& fibers, ToolRequests& requests, CallSites& sites, Probes& probes)
      : core_(core), fibers_(fibers), requests_(requests), sites_(sites), probes_(probes) {}

  // Makes the call that the program says. The argument map lies above the window's first register.
  CallResult call(Fiber& fiber, const Keyword* tool, std::uint32_t window);
  // Makes one map of the arguments of a tool that is called as a function: one map, nothing, or keys and values.
  // Borrows them; returns Absent when a fault is raised.
  Value arguments(Value tool, const Value* args, std::uint32_t count);

  // Does what the host says (run.h).
  bool admit(std::uint64_t request_id);
  bool admit_operation(std::uint64_t request_id);
  void answer(std::uint64_t request_id, Value taken, bool cached);
  void answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint,
                    std::string found = {});
  const Operation* answer_pending(std::uint64_t request_id, PendingReply reply);
  const Operation* answer_resolved(std::uint64_t request_id, Settlement settlement);

  // Returns the records of calls of the fibers that run or, once the turn is over, of the turn.
  std::vector<ToolRecord> records() const;
  void keep_records(Fiber& main);
  void clear_records();

  // Returns what a restored fiber that waits for a tool asks the host.
  ToolRequest request_of(const Fiber& fiber, std::string task_id, std::string path, std::string key) const;

 private:
  CallResult attach(Fiber& fiber, const Operation& operation, std::uint32_t window, std::string key);
  void give_handle(Fiber& fiber, const Operation& operation, bool waits);
  Fiber* take_request(std::uint64_t request_id, ToolRequest* out);   // no longer listed; null: unknown
  void fail(Fiber& fiber, FaultKind kind, std::string message, std::string hint, std::string found = {});
  void show_records(const std::vector<ToolRecordData>& from, std::vector<ToolRecord>& out) const;
  void show_records(const Fiber& fiber, std::vector<ToolRecord>& out) const;   // and the records of its children

  Heap& heap() const { return core_.heap(); }
  Operations& operations() const { return core_.env().operations; }

  RunCore& core_;
  FiberTree& fibers_;
  ToolRequests& requests_;
  CallSites& sites_;
  Probes& probes_;
  std::vector<ToolRecordData> records_;
};

}  // namespace ptc
