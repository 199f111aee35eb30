#include "vm/exec/probes.h"

#include "vm/exec/frame_states.h"
#include "vm/exec/run_operations.h"
#include "vm/exec/tool_calls.h"
#include "vm/value/equality.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"

namespace ptc {

bool Probes::start(Fiber& waiting) {
  const Frame& frame = waiting.frames.back();
  const auto& prototype = *static_cast<const Prototype*>(frame.closure->function);
  const std::uint64_t bytes = (prototype.register_count + 1) * sizeof(Value) + 8 * sizeof(Frame);
  if (waiting.nesting >= kMaxNesting) return true;
  if (!heap().can_allocate(bytes)) return core_.raise_memory();
  auto probe = fibers_.make(&waiting);
  const bool is_full = probe->frames.full();   // the machine has no memory
  if (is_full ? !core_.raise_memory() : !fibers_.grow_stack(*probe, prototype.register_count + 1u)) {
    fibers_.destroy(*probe);
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
  fibers_.open_task(*probe, {waiting.waits_for_task, 1, 0});
  waiting.children.push_back(std::move(probe));
  return true;
}

void Probes::fail(Fiber& fiber) {
  Fiber* waiting = probe_around(fiber)->parent;
  if (core_.fault().kind != FaultKind::TaskIdConflict) return fibers_.discard_probe(*waiting);
  while (const Fiber* around = probe_around(*waiting)) waiting = around->parent;
  fibers_.fail_branch(*waiting, core_.fault());
}

// Returns the first call that a branch made under the key; calls of probes do not count.
const ToolRecordData* Probes::recorded_call(const Fiber& fiber, std::string_view key) const {
  for (const ToolRecordData& record : fiber.records) {
    if (record.key == key) return &record;
  }
  if (fiber.state == Fiber::State::WaitsForTask) return nullptr;
  for (const auto& child : fiber.children) {
    if (const ToolRecordData* found = recorded_call(*child, key)) return found;
  }
  return nullptr;
}

// Returns false when a fault is raised.
bool Probes::meets_intent(std::string_view task_id, std::string_view path, std::string_view tool, Value args) {
  std::string_view known_tool;
  Value known_args = Value::absent();
  if (const ToolRecordData* record = recorded_call(*fibers_.main(), sites_.key(task_id, path))) {
    known_tool = record->tool;
    known_args = record->args;
  } else {
    for (const Operation* operation : operations().attachable(task_id, path)) {
      known_tool = operation->tool;
      known_args = operation->args;
    }
  }
  if (known_args.is_absent()) return raise_end_of_probe(core_);
  if (known_tool == tool && equal(known_args, args)) return true;
  return core_.raise(FaultKind::TaskIdConflict, "task \"" + std::string(task_id) + "\" called " +
                                              call_text(heap(), known_tool, known_args) + " in another branch, here " +
                                              call_text(heap(), tool, args) + "; give each its own id");
}

CallResult Probes::call(Fiber& fiber, const Keyword* tool, std::uint32_t window) {
  const Value args = fiber.stack[window + 1];
  std::string task_id;
  const std::string path = call_path(fiber, task_id);
  if (!meets_intent(task_id, path, tool->name(), args)) return CallResult::Faulted;
  fiber.state = Fiber::State::WaitsForTool;
  fiber.request_id = 0;
  fiber.result_slot = window;
  fiber.records.push_back(
      {std::string(tool->name()), args, Value::absent(), {}, false, {}, sites_.key(task_id, path)});
  pass_call(fiber);
  return CallResult::Parked;
}

// The sleep or signal that the other fiber opened at that place.
Value Probes::operation(const Operation& wanted) {
  if (!meets_intent(wanted.task_id, wanted.call_path, wanted.tool, wanted.args)) return Value::absent();
  const auto known = operations().attachable(wanted.task_id, wanted.call_path);
  if (!known.empty() && known.back()->kind == wanted.kind) return handle_of(heap(), *known.back());
  raise_end_of_probe(core_);
  return Value::absent();
}

// Returns false when the answer is not there yet.
bool Probes::take_answer(Fiber& fiber) {
  ToolRecordData& own = fiber.records.back();
  const ToolRecordData* made = recorded_call(*fibers_.main(), own.key);
  if (made == nullptr || made->result.is_absent()) return false;
  const Operation* operation = made->operation.empty() ? nullptr : operations().find(made->operation);
  const bool waits = operation != nullptr && operation->awaits_at_call;
  if (waits && !fibers_.make_room(fiber, fiber.result_slot + 1, kAwaitCallRegisters)) return false;
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

Fiber* Probes::next(Fiber& fiber, bool cut_off) {
  cut_off = cut_off && fiber.open_tasks.empty();
  if (fiber.state == Fiber::State::WaitsForTask && !cut_off && !fiber.children.empty()) {
    return next_inside(*fiber.children.front());
  }
  if (fiber.state != Fiber::State::WaitsForBranches) return nullptr;
  for (const auto& child : fiber.children) {
    if (Fiber* ready = next(*child, cut_off || fiber.branch_failed)) return ready;
  }
  return nullptr;
}

Fiber* Probes::next_inside(Fiber& fiber) {
  switch (fiber.state) {
    case Fiber::State::Ready: return &fiber;
    case Fiber::State::WaitsForTool:
      return take_answer(fiber) && fiber.state == Fiber::State::Ready ? &fiber : nullptr;
    case Fiber::State::WaitsForTask:
      if (tasks_.holder(fiber, fiber.waits_for_task) != nullptr) {
        return fiber.children.empty() ? nullptr : next_inside(*fiber.children.front());
      }
      fibers_.discard_probe(fiber);
      fiber.state = Fiber::State::Ready;
      return &fiber;
    case Fiber::State::WaitsForBranches: {
      bool all_over = true;
      for (const auto& child : fiber.children) {
        if (Fiber* ready = next_inside(*child)) return ready;
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
