// Which fiber goes on. One runs at a time, until it ends or parks; the order follows from the state alone, so a run that
// is cut into slices goes the same way as one that is not:
//
//   1. fibers that are ready, depth first in index order
//   2. when there is none: fibers that waited for a task which is over now
//   3. when there is none: probes
//
// Once a branch has failed its form will fail, and what is beside it goes on only while it has a task open: such a task
// is finished, so that no effect is left half recorded. Outside of tasks a cancelled fiber makes no step and no call,
// and nobody waits long for it: the form fails when what is still open waits for operations.
//
// "cancelled" below: a branch beside this fiber, or beside one above it, failed, and no task is open in between.
#include <algorithm>

#include "vm/exec/run_impl.h"

namespace ptc {
namespace {

bool is_over(const Fiber& fiber) {
  return fiber.state == Fiber::State::Faulted || fiber.state == Fiber::State::Finished;
}

}  // namespace

Fiber* RunImpl::next_fiber() {
  if (Fiber* ready = next_ready(*main, false)) return ready;
  if (task_closed) {
    if (Fiber* ready = next_with_task(*main, false)) return ready;
    task_closed = false;
  }
  return next_probe(*main, false);
}

Fiber* RunImpl::next_ready(Fiber& fiber, bool cancelled) {
  cancelled = cancelled && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::Ready) return cancelled ? nullptr : &fiber;
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  const bool below = cancelled || fiber.branch_failed;
  bool all_over = true;
  for (const auto& child : fiber.children) {
    if (Fiber* ready = next_ready(*child, below)) return ready;
    all_over &= is_over(*child);
  }
  if (cancelled) return nullptr;
  const bool ends = all_over || (fiber.branch_failed &&
                                 std::none_of(fiber.children.begin(), fiber.children.end(),
                                              [this](const auto& child) { return will_go_on(*child, true); }));
  if (!ends) return nullptr;
  fiber.state = Fiber::State::Ready;
  return &fiber;
}

Fiber* RunImpl::next_with_task(Fiber& fiber, bool cancelled) {
  cancelled = cancelled && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTask) {
    if (cancelled || task_holder(fiber, fiber.waits_for_task) != nullptr) return nullptr;
    end_probe(fiber);
    fiber.state = Fiber::State::Ready;
    return &fiber;
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  for (const auto& child : fiber.children) {
    if (Fiber* ready = next_with_task(*child, cancelled || fiber.branch_failed)) return ready;
  }
  return nullptr;
}

// Whether something in it is worth waiting for, though its form has failed.
bool RunImpl::will_go_on(const Fiber& fiber, bool cancelled) const {
  cancelled = cancelled && fiber.open_tasks.empty();
  switch (fiber.state) {
    case Fiber::State::Ready:
    case Fiber::State::WaitsForTool: return !cancelled;
    case Fiber::State::WaitsForTask: {
      if (cancelled) return false;
      const Fiber* holder = task_holder(fiber, fiber.waits_for_task);
      return holder == nullptr || holder->state == Fiber::State::Ready || holder->state == Fiber::State::WaitsForTool;
    }
    case Fiber::State::WaitsForBranches:
      return std::any_of(fiber.children.begin(), fiber.children.end(), [&](const auto& child) {
        return will_go_on(*child, cancelled || fiber.branch_failed);
      });
    default: return false;
  }
}

bool RunImpl::is_cancelled(const Fiber& fiber) const {
  for (const Fiber* at = &fiber; at->parent != nullptr; at = at->parent) {
    if (!at->open_tasks.empty()) return false;
    if (at->parent->branch_failed) return true;
  }
  return false;
}

bool RunImpl::give_up_calls(Fiber& fiber, bool cancelled) {
  cancelled = cancelled && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTool && cancelled) {
    give_up_call(fiber);
    unwind(fiber);
    fiber.state = Fiber::State::Finished;
    return true;
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return false;
  bool any = false;
  for (const auto& child : fiber.children) any |= give_up_calls(*child, cancelled || fiber.branch_failed);
  return any;
}

}  // namespace ptc
