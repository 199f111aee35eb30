// The inside of a run: the parts of the machine, and the turn that they execute.
//
// Each part knows parts above it in the list of members and no others, except that the interpreter, which owns the core
// of all of them, knows those whose instructions it executes (docs/decisions/0018-the-machine-as-objects.md). The turn
// itself is private here: its program, what it used of its budgets, why it is to end.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "vm/exec/await.h"
#include "vm/exec/branches.h"
#include "vm/exec/call_sites.h"
#include "vm/exec/calls.h"
#include "vm/exec/fiber_tree.h"
#include "vm/exec/interpreter.h"
#include "vm/exec/links.h"
#include "vm/exec/namespace.h"
#include "vm/exec/probes.h"
#include "vm/exec/run.h"
#include "vm/exec/run_core.h"
#include "vm/exec/run_operations.h"
#include "vm/exec/scheduler.h"
#include "vm/exec/stepper_sort.h"
#include "vm/exec/tasks.h"
#include "vm/exec/tool_calls.h"
#include "vm/exec/tool_requests.h"

namespace ptc {

class RunImpl {
 public:
  explicit RunImpl(const RunLimits& limits, std::shared_ptr<MemorySource> memory = nullptr);
  ~RunImpl();
  RunImpl(const RunImpl&) = delete;
  RunImpl& operator=(const RunImpl&) = delete;

  // See run.h.
  void start(std::shared_ptr<const Program> program);
  StepStatus step(std::uint64_t slice);
  void cancel(FaultKind kind, std::string message);
  void set_patience(Patience* patience) { patience_ = patience; }

  const std::shared_ptr<const Program>& program() const { return program_; }   // the last turn's when no turn runs
  bool suspended() const { return suspended_; }             // what the last step() said
  std::uint64_t fuel_used() const { return fuel_used_; }    // may be more than the limit
  bool charge_fuel(std::uint64_t units) {
    fuel_used_ += units;
    return fuel_used_ <= core_.limits().fuel;
  }
  std::uint64_t active_micros() const { return active_micros_; }
  // Returns the most bytes of the heap at once. What a host does between turns does not count: then the heap holds an
  // outcome, too, which no snapshot has.
  std::uint64_t bytes_peak() const {
    return fibers_.in_turn() ? core_.heap().bytes_peak() : ended_peak_.value_or(core_.heap().bytes_peak());
  }
  void add_active_micros(std::uint64_t micros) { active_micros_ += micros; }

 private:
  // Run hands each call of the host to the object that the call concerns. The other two are the door to snapshots.
  friend class Run;
  friend class MachineView;
  friend class MachineState;

  // Why a step comes back, or nullopt to go on.
  using Outcome = std::optional<StepStatus>;
  Outcome before_fiber(std::uint64_t& slice_left);
  Outcome when_all_wait();
  Outcome run_slice(Fiber& fiber, std::uint64_t& slice_left);
  Outcome after_fiber(Fiber& fiber, ExitReason reason);
  ExitReason run_fiber(Fiber& fiber);
  StepStatus finish(StepStatus status);
  StepStatus finish_inside(const Fiber& fiber);
  StepStatus finish_out_of_fuel(const Fiber& fiber);
  void place_fault();
  void clear_records();
  void release_everything();

  Interpreter interpreter_;
  RunCore& core_;                          // the interpreter's
  Namespace names_;
  Links links_;
  CallSites sites_;
  ToolRequests requests_;
  FiberTree fibers_;
  Tasks tasks_;
  Probes probes_;
  ToolCalls tool_calls_;
  RunOperations operations_;
  Calls calls_;
  Branches branches_;
  Waits waits_;
  Sorting sorting_;
  Scheduler scheduler_;

  std::shared_ptr<const Program> program_;
  std::uint64_t fuel_used_ = 0;            // by the slices that are over
  std::uint64_t active_micros_ = 0;        // as the host says
  std::optional<std::uint64_t> ended_peak_;   // the peak of the heap when the last turn ended
  bool suspended_ = false;
  Patience* patience_ = nullptr;           // not owned
  bool cancelled_ = false;
  FaultKind cancel_kind_{};
  std::string cancel_message_;
};

}  // namespace ptc
