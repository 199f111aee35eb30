// pmap and pcalls: every branch is a fiber. Branches start in index order and run one at a time until they end or
// park; results, prints and tool records come out in index order, whatever order things finish in.
//
// A branch sees the namespace as it is; its own definitions are visible to it alone: they are swapped into the cells
// while it runs and out again when it stops (enter, leave), so that reading a name costs nothing extra.
#pragma once
#include <cstdint>
#include <span>

#include "vm/exec/calls.h"
#include "vm/exec/fiber_tree.h"
#include "vm/exec/namespace.h"
#include "vm/exec/run_core.h"

namespace ptc {

class Branches {
 public:
  Branches(RunCore& core, Namespace& names, FiberTree& fibers, Calls& calls)
      : core_(core), names_(names), fibers_(fibers), calls_(calls) {}

  CallResult step(Fiber& fiber);        // the pmap or pcalls on top of the fiber
  void enter(Fiber& fiber);             // its definitions and prints become the visible ones
  void leave(Fiber& fiber);

 private:
  CallResult start_all(Fiber& fiber);
  CallResult collect(Fiber& fiber);
  bool start(Fiber& parent, std::uint32_t index, Value callee, std::span<const Value> taken_args);
  bool check_thunk(Value callee);       // false: why pcalls refuses it is raised

  Heap& heap() const { return core_.heap(); }
  Environment& env() const { return core_.env(); }

  RunCore& core_;
  Namespace& names_;
  FiberTree& fibers_;
  Calls& calls_;
};

}  // namespace ptc
