// Which fiber goes on. One runs at a time, until it ends or parks; the order follows from the state alone, so a run
// that is cut into slices goes the same way as one that is not:
//
//   1. fibers that are ready, depth first in index order
//   2. when there is none: fibers that waited for a task which is over now
//   3. when there is none: probes
//
// Once a branch has failed its form will fail, and what is beside it goes on only while it has a task open: such a task
// is finished, so that no effect is left half recorded. Outside of tasks a fiber makes no step and no call. The form
// does not wait for operations: it fails when nothing but them is left to wait for.
//
// "cut off" below: a branch beside this fiber, or beside one above it, failed, and no task is open in between.
#include <algorithm>

#include "vm/exec/run_impl.h"

namespace ptc {

Fiber* RunImpl::next_fiber() {
  if (Fiber* ready = next_ready(*main, false)) return ready;
  if (task_closed) {
    if (Fiber* ready = next_with_task(*main, false)) return ready;
    task_closed = false;
  }
  return next_probe(*main, false);
}

Fiber* RunImpl::next_ready(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::Ready) return cut_off ? nullptr : &fiber;
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  const bool below = cut_off || fiber.branch_failed;
  bool all_over = true;
  for (const auto& child : fiber.children) {
    if (Fiber* ready = next_ready(*child, below)) return ready;
    all_over &= Fiber::is_over(child->state);
  }
  if (cut_off) return nullptr;
  const bool ends = all_over || (fiber.branch_failed &&
                                 std::none_of(fiber.children.begin(), fiber.children.end(),
                                              [this](const auto& child) { return will_go_on(*child, true); }));
  if (!ends) return nullptr;
  fiber.state = Fiber::State::Ready;
  return &fiber;
}

Fiber* RunImpl::next_with_task(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTask) {
    if (cut_off || task_holder(fiber, fiber.waits_for_task) != nullptr) return nullptr;
    end_probe(fiber);
    fiber.state = Fiber::State::Ready;
    return &fiber;
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  for (const auto& child : fiber.children) {
    if (Fiber* ready = next_with_task(*child, cut_off || fiber.branch_failed)) return ready;
  }
  return nullptr;
}

// Whether something in it is worth waiting for, though its form has failed.
bool RunImpl::will_go_on(const Fiber& fiber, bool cut_off) const {
  cut_off = cut_off && fiber.open_tasks.empty();
  switch (fiber.state) {
    case Fiber::State::Ready:
    case Fiber::State::WaitsForTool: return !cut_off;
    case Fiber::State::WaitsForTask: {
      if (cut_off) return false;
      const Fiber* holder = task_holder(fiber, fiber.waits_for_task);
      return holder == nullptr || holder->state == Fiber::State::Ready || holder->state == Fiber::State::WaitsForTool;
    }
    case Fiber::State::WaitsForBranches:
      return std::any_of(fiber.children.begin(), fiber.children.end(), [&](const auto& child) {
        return will_go_on(*child, cut_off || fiber.branch_failed);
      });
    default: return false;
  }
}

bool RunImpl::is_cut_off(const Fiber& fiber) const {
  for (const Fiber* at = &fiber; at->parent != nullptr; at = at->parent) {
    if (!at->open_tasks.empty()) return false;
    if (at->parent->branch_failed) return true;
  }
  return false;
}

bool RunImpl::give_up_calls(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTool && cut_off) {
    give_up_call(fiber);
    unwind(fiber);
    fiber.state = Fiber::State::Finished;
    return true;
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return false;
  bool any = false;
  for (const auto& child : fiber.children) any |= give_up_calls(*child, cut_off || fiber.branch_failed);
  return any;
}

}  // namespace ptc
