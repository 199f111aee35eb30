// sort and sort-by. Keys are computed first (guest calls, one a step); then either a native stable sort, when nothing
// of the guest's decides the order, or a bottom-up merge sort whose whole state lies in the frame's slots, so that a
// comparator may do anything, also suspend.
//
// A comparator's answer: true or a negative number: first before second. false: the comparator is asked the other way
// round; equal elements keep their order. A positive number: second before first.
#pragma once
#include <cstdint>
#include <span>

#include "vm/exec/calls.h"
#include "vm/exec/run_core.h"

namespace ptc {

class Sorting {
 public:
  Sorting(RunCore& core, Calls& calls) : core_(core), calls_(calls) {}

  CallResult step(Fiber& fiber);        // the sort or sort-by on top of the fiber

 private:
  bool start(Fiber& fiber, Value* slots, std::uint32_t arg_count);
  bool order_natively(Value* own, bool descending);
  bool order_as_known(Value* own, Value comparator);    // false: the comparator must be called
  bool put_items_in_order(Value* own, std::span<const std::uint32_t> order);

  Heap& heap() const { return core_.heap(); }

  RunCore& core_;
  Calls& calls_;
};

}  // namespace ptc
