// Which fiber goes on. One runs at a time, until it ends or parks; the order follows from the state alone, so a run
// that is cut into slices goes the same way as one that is not:
//
//   1. fibers that are ready, depth first in index order
//   2. when there is none: fibers that waited for a task which is over now
//   3. when there is none: probes
//
// Once a branch has failed its form will fail, and what is beside it goes on only while it has a task open: such a task
// is finished, so that no effect is left half recorded. Outside of tasks a fiber makes no step and no call. The form
// does not wait for operations: it fails when only operations are left to wait for.
//
// "cut off" below: is_cut_off() of fiber_tree.h, as the walk from the main fiber knows it.
#pragma once
#include "vm/exec/fiber_tree.h"
#include "vm/exec/probes.h"
#include "vm/exec/tasks.h"

namespace ptc {

class Scheduler {
 public:
  Scheduler(FiberTree& fibers, Tasks& tasks, Probes& probes) : fibers_(fibers), tasks_(tasks), probes_(probes) {}

  // Returns a fiber that can go on, which is Ready, or null when all of them wait. There must be a turn.
  Fiber* next();
  // Gives up the calls of branches that are cut off. Returns false when there was none.
  bool give_up_calls() { return give_up_calls(*fibers_.main(), false); }

 private:
  Fiber* next_ready(Fiber& fiber, bool cut_off);
  Fiber* next_with_task(Fiber& fiber, bool cut_off);
  bool will_go_on(const Fiber& fiber, bool cut_off) const;
  bool give_up_calls(Fiber& fiber, bool cut_off);

  FiberTree& fibers_;
  Tasks& tasks_;
  Probes& probes_;
};

}  // namespace ptc
