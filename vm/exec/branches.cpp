#include "vm/exec/branches.h"

#include <utility>

#include "vm/builtins/call.h"
#include "vm/exec/stepper_frames.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kBranchBytes = 8 * sizeof(Frame);   // at least

std::string_view form_name(BuiltinId id) { return builtin_info(id).name; }

}  // namespace

CallResult Branches::step(Fiber& fiber) {
  if (fiber.frames.back().stage == kParallelStart) return start_all(fiber);
  return collect(fiber);
}

CallResult Branches::start_all(Fiber& fiber) {
  const Frame frame = fiber.frames.back();
  Value* slots = frame.base;
  const std::uint32_t arg_count = frame.slot_count - kStepperSlots;
  std::uint32_t branches = arg_count;
  if (frame.builtin == BuiltinId::pmap) {
    branches = UINT32_MAX;
    for (std::uint32_t k = 1; k < arg_count; ++k) {
      const Value collection = slots[k];
      slots[k] = Value::nil();
      const Value sequence = core_.sequence_of(form_name(frame.builtin), k + 1, collection);
      if (sequence.is_absent()) return CallResult::Faulted;
      slots[k] = sequence;
      branches = std::min(branches, vector_count(sequence));
    }
  }
  const std::uint32_t most = core_.limits().parallel_branches;
  if (branches > most) {
    core_.raise(FaultKind::ParallelCapacityExceeded, std::string(form_name(frame.builtin)) + " of " +
                                                         std::to_string(branches) + " branches, at most " +
                                                         std::to_string(most));
    return CallResult::Faulted;
  }
  if (fiber.nesting >= kMaxNesting) {
    core_.raise(FaultKind::ParallelCapacityExceeded, std::string(form_name(frame.builtin)) + " is nested more than " +
                                                         std::to_string(kMaxNesting) + " deep");
    return CallResult::Faulted;
  }
  if (!heap().can_allocate(branches * kBranchBytes) || !heap().can_allocate_records(branches * kBranchObjectBytes)) {
    core_.raise_memory();
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
    if (!start(fiber, index, frame.builtin == BuiltinId::pmap ? slots[0] : slots[index], args)) {
      return CallResult::Faulted;
    }
  }
  core_.charge(branches * (1 + fiber.nesting / 4 * 3));   // who goes on is looked for at each level
  fiber.state = Fiber::State::WaitsForBranches;
  return CallResult::Parked;
}

// Takes args. Returns false when a fault is raised that ends everything.
bool Branches::start(Fiber& parent, std::uint32_t index, Value callee, std::span<const Value> args) {
  parent.children.push_back(fibers_.make(&parent));
  Fiber& branch = *parent.children.back();
  branch.branch_index = index;
  const BuiltinId form = parent.frames.back().builtin;
  const std::uint32_t count = static_cast<std::uint32_t>(args.size());
  const auto refuse = [&](FaultKind kind, std::string message) {
    for (const Value& arg : args) heap().release(arg);
    if (ends_everything(kind)) return false;
    RunFault fault;
    fault.kind = kind;
    fault.message = std::move(message);
    fibers_.fail_branch(branch, std::move(fault));
    return true;
  };
  if (form == BuiltinId::pcalls && !check_thunk(callee)) return refuse(core_.fault().kind, core_.fault().message);
  if (!fibers_.grow_stack(branch, std::max(count + 2, 32u))) return refuse(core_.fault().kind, core_.fault().message);
  branch.stack[0] = retained(callee);
  for (std::uint32_t k = 0; k < count; ++k) branch.stack[1 + k] = args[k];
  switch (calls_.call_value(branch, 0, count)) {
    case CallResult::Done:
      branch.result = branch.stack[0];
      branch.state = Fiber::State::Finished;
      break;
    case CallResult::Faulted:
      for (std::uint32_t k = 0; k <= count; ++k) heap().release(branch.stack[k]);
      if (ends_everything(core_.fault().kind)) return false;
      fibers_.fail_branch(branch, core_.fault());
      break;
    case CallResult::Pushed:
    case CallResult::Parked: break;
  }
  return heap().over_limit() ? core_.raise_memory() : true;
}

bool Branches::check_thunk(Value callee) {
  if (!callee.is_function()) {
    std::string text;
    append_readable(text, callee, heap(), {60, nullptr});
    return core_.raise(FaultKind::TypeError, "pcalls requires callable thunks, got: " + text);
  }
  if (!callee.is(Tag::Closure)) return true;
  const FunctionInfo& info = *static_cast<const Closure*>(callee.object)->function;
  if (info.required_count == 0) return true;
  return core_.raise(FaultKind::ArityError, "pcalls requires zero-arity thunks, got function with arity " +
                                                std::to_string(info.required_count));
}

// Called once every branch is over, or one failed and no other can go on.
CallResult Branches::collect(Fiber& fiber) {
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
    std::string found = failed->fault_found;
    GuestStack stack = read_guest_stack(failed->fault_stack, GuestFrame::kNoLink);
    fibers_.discard_branches(fiber);
    core_.raise(is_pmap ? FaultKind::PmapError : FaultKind::PcallsError, std::move(text));
    core_.set_fault_found(std::move(found));
    core_.set_fault_stack(std::move(stack));
    return CallResult::Faulted;
  }
  VectorBuilder results(heap());
  for (const auto& child : fiber.children) {
    results.push(child->result);
    child->result = Value::nil();
  }
  fibers_.discard_branches(fiber);
  return finish_stepper(heap(), fiber, results.finish());
}

void Branches::enter(Fiber& fiber) {
  if (fiber.parent == nullptr) return;
  enter(*fiber.parent);
  names_.show(fiber);
  std::swap(env().prints, fiber.prints);
  env().in_parallel_branch = true;
}

void Branches::leave(Fiber& fiber) {
  if (fiber.parent == nullptr) return;
  std::swap(env().prints, fiber.prints);
  names_.hide(fiber);
  leave(*fiber.parent);
  env().in_parallel_branch = false;
}

}  // namespace ptc
