#include "vm/exec/scheduler.h"

#include <algorithm>

namespace ptc {

Fiber* Scheduler::next() {
  if (Fiber* ready = next_ready(*fibers_.main(), false)) return ready;
  if (fibers_.has_closed_task()) {
    if (Fiber* ready = next_with_task(*fibers_.main(), false)) return ready;
    fibers_.set_closed_task(false);
  }
  return probes_.next(*fibers_.main(), false);
}

Fiber* Scheduler::next_ready(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::Ready) return cut_off ? nullptr : &fiber;
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  const bool below = cut_off || fiber.branch_failed;
  const auto& children = fiber.children;
  std::size_t& first = fiber.over_before;
  while (first < children.size() && Fiber::is_over(children[first]->state)) ++first;
  bool all_over = true;
  for (std::size_t k = first; k < children.size(); ++k) {
    if (Fiber* ready = next_ready(*children[k], below)) return ready;
    all_over &= Fiber::is_over(children[k]->state);
  }
  if (cut_off) return nullptr;
  const bool ends = all_over || (fiber.branch_failed &&
                                 std::none_of(fiber.children.begin(), fiber.children.end(),
                                              [this](const auto& child) { return will_go_on(*child, true); }));
  if (!ends) return nullptr;
  fiber.state = Fiber::State::Ready;
  return &fiber;
}

Fiber* Scheduler::next_with_task(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTask) {
    if (cut_off || tasks_.holder(fiber, fiber.waits_for_task) != nullptr) return nullptr;
    fibers_.discard_probe(fiber);
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
bool Scheduler::will_go_on(const Fiber& fiber, bool cut_off) const {
  cut_off = cut_off && fiber.open_tasks.empty();
  switch (fiber.state) {
    case Fiber::State::Ready:
    case Fiber::State::WaitsForTool: return !cut_off;
    case Fiber::State::WaitsForTask: {
      if (cut_off) return false;
      const Fiber* holder = tasks_.holder(fiber, fiber.waits_for_task);
      return holder == nullptr || holder->state == Fiber::State::Ready || holder->state == Fiber::State::WaitsForTool;
    }
    case Fiber::State::WaitsForBranches:
      return std::any_of(fiber.children.begin(), fiber.children.end(), [&](const auto& child) {
        return will_go_on(*child, cut_off || fiber.branch_failed);
      });
    default: return false;
  }
}

bool Scheduler::give_up_calls(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTool && cut_off) {
    fibers_.give_up_call(fiber);
    fibers_.unwind(fiber);
    fiber.state = Fiber::State::Finished;
    return true;
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return false;
  bool any = false;
  for (const auto& child : fiber.children) any |= give_up_calls(*child, cut_off || fiber.branch_failed);
  return any;
}

}  // namespace ptc
