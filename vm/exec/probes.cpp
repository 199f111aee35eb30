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
#include "vm/exec/run_impl.h"
#include "vm/value/equality.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"

namespace ptc {

// The waiting fiber's pc is at its TaskStart.
bool RunImpl::start_probe(Fiber& waiting) {
  const Frame& frame = waiting.frames.back();
  const auto& prototype = *static_cast<const Prototype*>(frame.closure->function);
  const std::uint64_t bytes = (prototype.register_count + 1) * sizeof(Value) + 8 * sizeof(Frame);
  if (waiting.nesting >= kMaxNesting) return true;
  if (!heap.can_allocate(bytes)) return raise_memory();
  auto probe = make_fiber(nullptr);
  if (!grow_stack(*probe, prototype.register_count + 1u)) {
    destroy_fiber(*probe);
    return false;
  }
  const Value* const from = frame.base;
  Value* const to = probe->stack + 1;
  const RegState* states = prototype.states().before(static_cast<std::uint32_t>(frame.pc - prototype.code.data()));
  for (std::uint32_t k = 0; k < prototype.register_count; ++k) {
    if (states[k] == RegState::Dead) continue;
    to[k] = from[k];
    if (is_owned(states[k])) retain(to[k]);
  }
  probe->stack[0] = retained(Value::of(Tag::Closure, const_cast<Closure*>(frame.closure)));
  probe->frames.push() = Frame::bytecode(frame.pc + 1, frame.closure, to, true);
  probe->open_tasks.push_back({waiting.waits_for_task, 1, 0});
  probe->parent = &waiting;
  probe->nesting = waiting.nesting + 1;
  waiting.children.push_back(std::move(probe));
  return true;
}

void RunImpl::end_probe(Fiber& waiting) {
  for (const auto& probe : waiting.children) {
    discard_branches(*probe);
    for (const std::string& text : probe->prints) env.print_bytes -= text.size() + 1;
    destroy_fiber(*probe);
  }
  waiting.children.clear();
}

void RunImpl::fail_probe(Fiber& fiber) {
  Fiber* waiting = probe_around(fiber)->parent;
  if (fault.kind != FaultKind::TaskIdConflict) return end_probe(*waiting);
  while (const Fiber* around = probe_around(*waiting)) waiting = around->parent;
  fail_branch(*waiting, fault.kind, fault.message);
}

Fiber* RunImpl::probe_around(Fiber& fiber) {
  Fiber* at = &fiber;
  while (at->parent != nullptr && at->parent->state != Fiber::State::WaitsForTask) at = at->parent;
  return at->parent == nullptr ? nullptr : at;
}

bool RunImpl::end_of_probe() { return raise(FaultKind::PmapError, "the probe has nothing more to find"); }

// The call that a branch made, first found; those of probes are none.
const ToolRecordData* RunImpl::recorded_call(const Fiber& fiber, std::string_view key) const {
  for (const ToolRecordData& record : fiber.records) {
    if (record.key == key) return &record;
  }
  if (fiber.state == Fiber::State::WaitsForTask) return nullptr;
  for (const auto& child : fiber.children) {
    if (const ToolRecordData* found = recorded_call(*child, key)) return found;
  }
  return nullptr;
}

// False: a fault is raised.
bool RunImpl::meets_intent(std::string_view task_id, std::string_view path, std::string_view tool, Value args) {
  std::string_view known_tool;
  Value known_args = Value::absent();
  if (const ToolRecordData* record = recorded_call(*main, call_key(task_id, path))) {
    known_tool = record->tool;
    known_args = record->args;
  } else {
    for (const Operation* operation : env.operations.attachable(task_id, path)) {
      known_tool = operation->tool;
      known_args = operation->args;
    }
  }
  if (known_args.is_absent()) return end_of_probe();
  if (known_tool == tool && equal(known_args, args)) return true;
  return raise(FaultKind::TaskIdConflict, "task \"" + std::string(task_id) + "\" called " +
                                              call_text(known_tool, known_args) + " in another branch, here " +
                                              call_text(tool, args) + "; give each its own id");
}

RunImpl::CallResult RunImpl::probe_call(Fiber& fiber, const Keyword* tool, std::uint32_t window) {
  const Value args = fiber.stack[window + 1];
  std::string task_id;
  const std::string path = call_path(fiber, task_id);
  if (!meets_intent(task_id, path, tool->name(), args)) return CallResult::Faulted;
  fiber.state = Fiber::State::WaitsForTool;
  fiber.request_id = 0;
  fiber.result_slot = window;
  fiber.records.push_back(
      {std::string(tool->name()), args, Value::absent(), {}, false, {}, call_key(task_id, path)});
  pass_call(fiber);
  return CallResult::Parked;
}

// The sleep or signal that the other fiber opened at that place.
Value RunImpl::probe_operation(const Operation& wanted) {
  if (!meets_intent(wanted.task_id, wanted.call_path, wanted.tool, wanted.args)) return Value::absent();
  const auto known = env.operations.attachable(wanted.task_id, wanted.call_path);
  if (!known.empty() && known.back()->kind == wanted.kind) return pending_of(heap, string_of(heap, known.back()->id));
  end_of_probe();
  return Value::absent();
}

// False: it is not there yet.
bool RunImpl::take_probed_answer(Fiber& fiber) {
  ToolRecordData& own = fiber.records.back();
  const ToolRecordData* made = recorded_call(*main, own.key);
  if (made == nullptr || made->result.is_absent()) return false;
  const Operation* operation = made->operation.empty() ? nullptr : env.operations.find(made->operation);
  const bool waits = operation != nullptr && operation->awaits_at_call;
  if (waits && !make_room(fiber, fiber.result_slot + 1, kAwaitCallRegisters)) return false;
  own.operation = made->operation;
  own.result = retained(made->result);
  if (waits) {
    fiber.state = Fiber::State::Ready;
    push_await_call(fiber, fiber.result_slot, retained(own.result));
  } else {
    put_answer(fiber, retained(own.result));
  }
  return true;
}

Fiber* RunImpl::next_probe(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTask && !cut_off && !fiber.children.empty()) {
    return next_in_probe(*fiber.children.front());
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  for (const auto& child : fiber.children) {
    if (Fiber* ready = next_probe(*child, cut_off || fiber.branch_failed)) return ready;
  }
  return nullptr;
}

Fiber* RunImpl::next_in_probe(Fiber& fiber) {
  switch (fiber.state) {
    case Fiber::State::Ready: return &fiber;
    case Fiber::State::WaitsForTool:
      return take_probed_answer(fiber) && fiber.state == Fiber::State::Ready ? &fiber : nullptr;
    case Fiber::State::WaitsForTask:
      if (task_holder(fiber, fiber.waits_for_task) != nullptr) {
        return fiber.children.empty() ? nullptr : next_in_probe(*fiber.children.front());
      }
      end_probe(fiber);
      fiber.state = Fiber::State::Ready;
      return &fiber;
    case Fiber::State::WaitsForBranches: {
      bool all_over = true;
      for (const auto& child : fiber.children) {
        if (Fiber* ready = next_in_probe(*child)) return ready;
        all_over &= Fiber::is_over(child->state);
      }
      if (!all_over && !fiber.branch_failed) return nullptr;
      fiber.state = Fiber::State::Ready;
      return &fiber;
    }
    default: return nullptr;
  }
}

}  // namespace ptc
