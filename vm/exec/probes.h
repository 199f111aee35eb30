// Whether two branches mean the same by one task id.
//
// A branch that reaches a task whose body another fiber is evaluating waits for its value. What its own body would have
// done is found out by a probe: a fiber below the waiting one that evaluates the body from copies of its registers and
// changes nothing outside of itself. It makes no calls. At a call it looks for the one that the other fiber made at the
// same place of the task, which has the same idempotency key:
//
//   another tool or other arguments      task_id_conflict, in the branch that waits
//   the same                             the probe goes on with that call's answer, once it is there
//   none; a task that nobody has begun; a fault of its own; the end of the body
//                                        the probe is over and has found nothing
//
// Its prints, definitions and records go with it, so a task that was waited for looks like one that was a hit.
//
// Invariants: a fiber in state WaitsForTask has no child, or its probe; no other fiber has one. Probes run only when
// nothing else can, so the fiber that they follow is as far as it gets.
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/exec/call_sites.h"
#include "vm/exec/fiber_tree.h"
#include "vm/exec/run_core.h"
#include "vm/exec/tasks.h"

namespace ptc {

class Probes {
 public:
  Probes(RunCore& core, FiberTree& fibers, CallSites& sites, Tasks& tasks)
      : core_(core), fibers_(fibers), sites_(sites), tasks_(tasks) {}

  // The waiting fiber's pc is at its TaskStart. Returns false when there is no memory, which is raised.
  [[nodiscard]] bool start(Fiber& waiting);
  void fail(Fiber& fiber);                      // takes a fiber inside of a probe that raised a fault
  // Makes a call inside of a probe: waits for the answer to the call that the other fiber made.
  CallResult call(Fiber& fiber, const Keyword* tool, std::uint32_t window);
  // Begins a sleep or signal inside of a probe. Returns the handle of the other fiber, or Absent after a fault.
  Value operation(const Operation& wanted);
  // Returns a fiber inside of a probe that can go on, or null.
  Fiber* next(Fiber& fiber, bool cut_off);

 private:
  Fiber* next_inside(Fiber& fiber);
  bool take_answer(Fiber& fiber);
  bool meets_intent(std::string_view task_id, std::string_view path, std::string_view tool, Value args);
  const ToolRecordData* recorded_call(const Fiber& fiber, std::string_view key) const;

  Heap& heap() const { return core_.heap(); }
  Operations& operations() const { return core_.env().operations; }

  RunCore& core_;
  FiberTree& fibers_;
  CallSites& sites_;
  Tasks& tasks_;
};

}  // namespace ptc
