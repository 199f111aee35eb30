// pmap and pcalls: every branch is a fiber. Branches start in index order and run one at a time until they end or
// park; results, prints and tool records come out in index order, whatever order things finish in.
//
// A branch sees the namespace as it is; its own definitions are visible to it alone: they are swapped into the cells
// while it runs and out again when it stops (enter_branch, leave_branch), so that reading a name costs nothing extra.
#include <utility>

#include "vm/builtins/call.h"
#include "vm/exec/run_impl.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kBranchBytes = 8 * sizeof(Frame);   // at least

std::string_view form_name(BuiltinId id) { return builtin_info(id).name; }

}  // namespace

RunImpl::CallResult RunImpl::step_parallel(Fiber& fiber) {
  if (fiber.frames.back().stage == kParallelStart) return start_branches(fiber);
  return collect_branches(fiber);
}

RunImpl::CallResult RunImpl::start_branches(Fiber& fiber) {
  const Frame frame = fiber.frames.back();
  Value* slots = frame.base;
  const std::uint32_t arg_count = frame.slot_count - kStepperSlots;
  std::uint32_t branches = arg_count;
  if (frame.builtin == BuiltinId::pmap) {
    branches = UINT32_MAX;
    for (std::uint32_t k = 1; k < arg_count; ++k) {
      const Value collection = slots[k];
      slots[k] = Value::nil();
      const Value sequence = sequence_of(form_name(frame.builtin), k + 1, collection);
      if (sequence.is_absent()) return CallResult::Faulted;
      slots[k] = sequence;
      branches = std::min(branches, vector_count(sequence));
    }
  }
  if (branches > limits.parallel_branches) {
    raise(FaultKind::ParallelCapacityExceeded, std::string(form_name(frame.builtin)) + " of " +
                                                   std::to_string(branches) + " branches, at most " +
                                                   std::to_string(limits.parallel_branches));
    return CallResult::Faulted;
  }
  if (fiber.nesting >= kMaxNesting) {
    raise(FaultKind::ParallelCapacityExceeded, std::string(form_name(frame.builtin)) + " is nested more than " +
                                                   std::to_string(kMaxNesting) + " deep");
    return CallResult::Faulted;
  }
  if (!heap.can_allocate(branches * kBranchBytes)) {
    raise_memory();
    return CallResult::Faulted;
  }
  fiber.frames.back().stage = kParallelCollect;
  fiber.fork_call = next_position(fiber);
  fiber.fork_operation = 0;
  fiber.branch_failed = false;
  fiber.children.reserve(branches);
  for (std::uint32_t index = 0; index < branches; ++index) {
    std::vector<Value> args;
    if (frame.builtin == BuiltinId::pmap) {
      for (std::uint32_t k = 1; k < arg_count; ++k) args.push_back(vector_get(slots[k], index));
    }
    if (!start_branch(fiber, index, frame.builtin == BuiltinId::pmap ? slots[0] : slots[index], args)) {
      return CallResult::Faulted;
    }
  }
  fuel_left -= branches;
  fiber.state = Fiber::State::WaitsForBranches;
  return CallResult::Parked;
}

// args are taken. False: a fault is raised that ends everything.
bool RunImpl::start_branch(Fiber& parent, std::uint32_t index, Value callee, std::span<const Value> args) {
  parent.children.push_back(make_fiber(nullptr));
  Fiber& branch = *parent.children.back();
  branch.parent = &parent;
  branch.nesting = parent.nesting + 1;
  branch.branch_index = index;
  const BuiltinId form = parent.frames.back().builtin;
  const std::uint32_t count = static_cast<std::uint32_t>(args.size());
  const auto refuse = [&](FaultKind kind, std::string message) {
    for (const Value& arg : args) heap.release(arg);
    if (ends_everything(kind)) return false;
    fail_branch(branch, kind, std::move(message));
    return true;
  };
  if (form == BuiltinId::pcalls) {
    if (!callee.is_function()) {
      std::string text;
      append_readable(text, callee, heap, {60, nullptr});
      return refuse(FaultKind::TypeError, "pcalls requires callable thunks, got: " + text);
    }
    if (callee.is(Tag::Closure)) {
      const FunctionInfo& info = *static_cast<const Closure*>(callee.object)->function;
      if (info.required_count != 0) {
        return refuse(FaultKind::ArityError, "pcalls requires zero-arity thunks, got function with arity " +
                                                 std::to_string(info.required_count));
      }
    }
  }
  if (!grow_stack(branch, std::max(count + 2, 32u))) return refuse(fault.kind, fault.message);
  branch.stack[0] = retained(callee);
  for (std::uint32_t k = 0; k < count; ++k) branch.stack[1 + k] = args[k];
  switch (call_value(branch, 0, count)) {
    case CallResult::Done:
      branch.result = branch.stack[0];
      branch.state = Fiber::State::Finished;
      break;
    case CallResult::Faulted:
      for (std::uint32_t k = 0; k <= count; ++k) heap.release(branch.stack[k]);
      if (ends_everything(fault.kind)) return false;
      fail_branch(branch, fault.kind, fault.message);
      break;
    case CallResult::Pushed:
    case CallResult::Parked: break;
  }
  return heap.over_limit() ? raise_memory() : true;
}

void RunImpl::fail_branch(Fiber& fiber, FaultKind kind, std::string message) {
  discard_branches(fiber);
  unwind(fiber);
  fiber.state = Fiber::State::Faulted;
  fiber.parent->branch_failed = true;
  fiber.fault_kind = kind;
  fiber.fault_message = std::move(message);
}

// Called once every branch is over, or one failed and no other can go on.
RunImpl::CallResult RunImpl::collect_branches(Fiber& fiber) {
  const BuiltinId form = fiber.frames.back().builtin;
  const bool is_pmap = form == BuiltinId::pmap;
  const Fiber* failed = nullptr;
  for (const auto& child : fiber.children) {
    if (child->state == Fiber::State::Faulted) {
      failed = child.get();
      break;
    }
  }
  if (failed != nullptr) {
    std::string text(form_name(form));
    text += (is_pmap ? ": element " : ": branch ") + std::to_string(failed->branch_index) + ": ";
    text += std::string(fault_name(failed->fault_kind)) + ": " + failed->fault_message;
    discard_branches(fiber);
    raise(is_pmap ? FaultKind::PmapError : FaultKind::PcallsError, std::move(text));
    return CallResult::Faulted;
  }
  VectorBuilder results(heap);
  for (const auto& child : fiber.children) {
    results.push(child->result);
    child->result = Value::nil();
  }
  discard_branches(fiber);
  return finish_stepper(fiber, results.finish());
}

// The call that a branch waits for is not made, or nobody hears its answer.
void RunImpl::give_up_call(Fiber& fiber) {
  if (fiber.state != Fiber::State::WaitsForTool) return;
  std::erase_if(requests, [&](const ToolRequest& request) { return request.id == fiber.request_id; });
  fiber.records.back().error = "given up: a sibling branch failed before the tool answered";
}

void RunImpl::discard_branches(Fiber& fiber) {
  if (fiber.state == Fiber::State::WaitsForTask) end_probe(fiber);
  for (const auto& child : fiber.children) {
    discard_branches(*child);
    give_up_call(*child);
    std::vector<std::string>& prints = fiber.parent == nullptr ? env.prints : fiber.prints;
    for (std::string& text : child->prints) prints.push_back(std::move(text));
    for (ToolRecordData& record : child->records) {
      if (fiber.parent == nullptr) record.key.clear();   // its task is nobody's business any more
      fiber.records.push_back(std::move(record));
    }
    child->prints.clear();
    child->records.clear();
    destroy_fiber(*child);
  }
  fiber.children.clear();
}

static void swap_definition(Cell& cell, BranchDefinition& definition) {
  const Value seen = cell.value;
  cell.set(definition.value);
  definition.value = seen;
  std::swap(cell.defined, definition.defined);
}

void RunImpl::enter_branch(Fiber& fiber) {
  if (fiber.parent == nullptr) return;
  enter_branch(*fiber.parent);
  for (BranchDefinition& definition : fiber.definitions) {
    Cell& target = cells[definition.cell];
    swap_definition(target, definition);
  }
  std::swap(env.prints, fiber.prints);
  env.in_parallel_branch = true;
}

void RunImpl::leave_branch(Fiber& fiber) {
  if (fiber.parent == nullptr) return;
  std::swap(env.prints, fiber.prints);
  for (std::size_t k = fiber.definitions.size(); k-- > 0;) {
    BranchDefinition& definition = fiber.definitions[k];
    Cell& target = cells[definition.cell];
    swap_definition(target, definition);
  }
  leave_branch(*fiber.parent);
  env.in_parallel_branch = false;
}

void RunImpl::fail_waiting(Fiber& fiber, FaultKind kind, std::string message, std::string hint) {
  if (fiber.parent != nullptr && !ends_everything(kind)) {
    fail_branch(fiber, kind, std::move(message));
    return;
  }
  raise(kind, std::move(message), std::move(hint));
  tool_failed = true;
}

}  // namespace ptc
