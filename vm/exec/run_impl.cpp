// The life of a run: links to programs, slices, outcomes. Its public face is run.cpp.
#include "vm/exec/run_impl.h"

#include <algorithm>
#include <cstdlib>

#include "vm/builtins/regex.h"
#include "vm/exec/prelude.h"
#include "vm/value/bulk_work.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// What a name inside of a prelude stands for.
struct PreludeName {
  std::optional<BuiltinId> builtin;
  std::optional<std::uint32_t> function;   // when it is no builtin
};

std::vector<PreludeName> names_in(const Program& prelude) {
  std::vector<PreludeName> names;
  for (const std::string& name : prelude.globals) {
    PreludeName& made = names.emplace_back(PreludeName{find_builtin(name), std::nullopt});
    if (made.builtin) continue;
    for (const Prototype& function : prelude.functions) {
      if (function.name != name || function.upvalue_count != 0) continue;
      made.function = function.index;
      break;
    }
  }
  return names;
}

}  // namespace

RunImpl::RunImpl(const RunLimits& run_limits, std::shared_ptr<MemorySource> memory)
    : limits(run_limits), heap(run_limits.memory_bytes, std::move(memory)), env(heap) {
  env.limits = limits;
  env.clock_millis = &clock_millis;
}

// The heap gives its memory back as a whole. Only sanitized builds let go of the objects one by one, and see whether
// somebody lost a reference.
RunImpl::~RunImpl() {
  if (main) destroy_fiber(*main);
#ifdef PTC_SANITIZED
  release_everything();
  if (heap.live_objects() != 0) __builtin_trap();
#endif
}

void RunImpl::release_everything() {
  heap.free_garbage();
  release_result();
  rollback();
  for (const Cell& cell_data : cells) heap.release(cell_data.value);
  for (Link& program_link : links) {
    for (const Cell& cell_data : program_link.own_cells) heap.release(cell_data.value);
    for (const Value& v : program_link.constants) heap.release(v);
    for (const Value& v : program_link.functions) heap.release(v);
    if (program_link.entry != nullptr) heap.release(program_link.entry);
  }
  for (const Value& v : retired) heap.release(v);
  for (const Value& v : history) heap.release(v);
  clear_records();
  heap.release(context);
  heap.release(env.budget);
  env.journal.clear();
  env.operations.clear();
}

bool RunImpl::raise(FaultKind kind, std::string message, std::string hint) {
  fault.kind = kind;
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  return false;
}

bool RunImpl::raise_parked() { return raise(env.fault.kind, std::move(env.fault.message), std::move(env.fault.hint)); }

bool RunImpl::raise_memory() {
  if (heap.is_exhausted()) return raise(FaultKind::MemoryExceeded, "the machine has no more memory for this run");
  return raise(FaultKind::MemoryExceeded,
               "memory limit of " + std::to_string(limits.memory_bytes) + " bytes exceeded");
}

Value RunImpl::constant_value(const Link& program_link, std::size_t index) {
  const ProgramConstant& constant = program_link.program->constants[index];
  const auto item = [&](std::size_t k) { return retained(program_link.constants[constant.items[k]]); };
  switch (constant.kind) {
    case ProgramConstant::Kind::Nil: return Value::nil();
    case ProgramConstant::Kind::False: return Value::boolean(false);
    case ProgramConstant::Kind::True: return Value::boolean(true);
    case ProgramConstant::Kind::Int: return Value::integer(constant.integer);
    case ProgramConstant::Kind::Float: return Value::real(constant.real);
    case ProgramConstant::Kind::BigInt: {
      const Value v = integer_from_decimal(heap, constant.text, UINT32_MAX);
      return v.is_absent() ? Value::nil() : v;
    }
    case ProgramConstant::Kind::String: return string_of(heap, constant.text);
    case ProgramConstant::Kind::Keyword: return Value::of(heap.intern(constant.text));
    case ProgramConstant::Kind::Regex: {
      return regex_make(heap, constant.text, nullptr);   // looked at when the program was loaded
    }
    case ProgramConstant::Kind::Vector: {
      VectorBuilder builder(heap);
      for (std::size_t k = 0; k < constant.items.size(); ++k) builder.push(item(k));
      return builder.finish();
    }
    case ProgramConstant::Kind::Map: {
      std::vector<Value> keys, values;
      for (std::size_t k = 0; k + 1 < constant.items.size(); k += 2) {
        keys.push_back(item(k));
        values.push_back(item(k + 1));
      }
      return map_from(heap, keys, values);
    }
    case ProgramConstant::Kind::Set: {
      Value set = set_empty(heap);
      for (std::size_t k = 0; k < constant.items.size(); ++k) set = set_add(heap, set, item(k));
      return set;
    }
  }
  return Value::nil();
}

Link& RunImpl::link(std::shared_ptr<const Program> linked) {
  for (Link& known : links) {
    if (known.program == linked) return known;
  }
  Link& made = begin_link(std::move(linked));
  finish_link(made);
  return made;
}

void RunImpl::link_prelude(std::shared_ptr<const Program> linked) {
  finish_link(begin_link(std::move(linked), true));
}

Link& RunImpl::begin_link(std::shared_ptr<const Program> linked, bool is_prelude) {
  Link& made = links.emplace_back();
  made.program = std::move(linked);
  made.is_prelude = is_prelude;
  made.loop_limit = is_prelude ? INT64_MAX : limits.loop;
  if (is_prelude) preludes.push_back(&made);
  const std::size_t count = made.program->constants.size();
  made.constants.assign(count, Value::nil());
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_collection(made.program->constants[k])) made.constants[k] = constant_value(made, k);
  }
  return made;
}

// The prelude's names are its own functions, cells of their own; a program's names are the user namespace.
void RunImpl::finish_link(Link& made) {
  for (std::size_t k = 0; k < made.constants.size(); ++k) {
    if (is_collection(made.program->constants[k])) made.constants[k] = constant_value(made, k);
  }
  for (const std::string& name : made.program->tools) made.tools.push_back(heap.intern(name));
  if (made.is_prelude) return name_prelude(made);
  for (const std::string& name : made.program->globals) made.cells.push_back(cell(name));
}

void RunImpl::name_prelude(Link& made) {
  static const std::vector<PreludeName> own_names = names_in(*own_prelude());
  const bool is_own = made.program == own_prelude();
  const std::vector<PreludeName> other_names = is_own ? std::vector<PreludeName>() : names_in(*made.program);
  const std::vector<PreludeName>& names = is_own ? own_names : other_names;
  made.own_cells.resize(names.size());
  made.cells.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    Cell& own = made.own_cells[k];
    made.cells.push_back(&own);
    own.name = heap.intern(made.program->globals[k]);
    own.defined = true;
    if (names[k].builtin) {
      own.set(Value::of(*names[k].builtin));
    } else if (names[k].function) {
      own.set(retained(Value::of(Tag::Closure, const_cast<Closure*>(function_closure(made, *names[k].function)))));
    }
  }
}

void RunImpl::clear_records() {
  for (const ToolRecordData& record : records) {
    heap.release(record.args);
    heap.release(record.result);
  }
  records.clear();
  env.prints.clear();
  env.print_bytes = 0;
  env.summaries.clear();
  env.warnings.clear();
  env.fuel_debt = 0;
  fuel_used = 0;
  tool_calls = 0;
  active_micros = 0;
  suspensions = 0;
  cancelled = false;
}

void RunImpl::release_result() {
  heap.release(result);
  result = Value::nil();
}

std::unique_ptr<Fiber> RunImpl::make_fiber(const Closure* entry) {
  auto fiber = std::make_unique<Fiber>();
  fiber->id = next_fiber_id++;
  fiber->frames.grow(limits.depth);
  heap.account(static_cast<std::int64_t>(fiber->frames.capacity() * sizeof(Frame)));
  if (entry != nullptr) {
    const auto& prototype = *static_cast<const Prototype*>(entry->function);
    grow_stack(*fiber, std::max<std::uint32_t>(prototype.register_count + 1, 32));
    if (fiber->stack == nullptr) return fiber;
    fiber->frames.push() = Frame::bytecode(prototype.code.data(), entry, fiber->stack + 1, false);
  }
  return fiber;
}

void RunImpl::destroy_fiber(Fiber& fiber) {
  discard_branches(fiber);
  unwind(fiber);
  heap.release(fiber.result);
  for (const BranchDefinition& definition : fiber.definitions) heap.release(definition.value);
  for (const ToolRecordData& record : fiber.records) {
    heap.release(record.args);
    heap.release(record.result);
  }
  if (fiber.stack != nullptr) {
    heap.account(-static_cast<std::int64_t>(fiber.stack_size * sizeof(Value)));
    std::free(fiber.stack);
    fiber.stack = nullptr;
  }
  heap.account(-static_cast<std::int64_t>(fiber.frames.capacity() * sizeof(Frame)));
}

StepStatus RunImpl::finish(StepStatus status) {
  status = settle_outstanding(status);
  if (status == StepStatus::Faulted) {
    fault.span = user_span(*main, &fault.program);
    if (fault.span.line == 0 && program && !program->entry().spans.empty()) {   // noticed once the last call was over
      fault.span = program->entry().spans.back().span;
      fault.program = program;
    }
  }
  discard_branches(*main);
  unwind(*main);
  requests.clear();
  for (ToolRecordData& record : main->records) records.push_back(std::move(record));
  main->records.clear();
  for (std::string& text : main->prints) env.prints.push_back(std::move(text));
  main->prints.clear();
  if (status == StepStatus::Completed) {
    release_result();
    result = main->result;
    main->result = Value::nil();
  }
  if (status == StepStatus::Faulted) rollback();   // else the base stays for Run::revert()
  destroy_fiber(*main);
  main.reset();
  for (const Value& v : retired) heap.release(v);
  retired.clear();
  heap.set_limit_bytes(heap.limit_bytes());   // what the host does with the run is a matter of its own
  return status;
}

bool ends_everything(FaultKind kind) {
  switch (kind) {
    case FaultKind::FuelExceeded:
    case FaultKind::MemoryExceeded:
    case FaultKind::ToolCallLimitExceeded:
    case FaultKind::PrintLimitExceeded:
    case FaultKind::PendingLimitExceeded:
    case FaultKind::SuspensionLimitExceeded:
    case FaultKind::BadProgram: return true;
    default: return false;
  }
}

// A suspended run is asked again: time passes, results arrive. False: nothing in it can go on.
bool RunImpl::resume() {
  env.operations.settle_due(clock_millis);
  env.operations.deliver_all();
  wake(*main, true);
  return next_fiber() != nullptr;
}

// Until it has a reason to stop; what it did in bulk is paid for.
ExitReason RunImpl::run_fiber(Fiber& fiber) {
  const BulkWorkPayer payer(heap);
  const PatienceScope patience_scope(patience);
  heap.take_work();   // what the host did is nothing of the program's
  enter_branch(fiber);
  heap.bound_freeing(true);
  const ExitReason reason = interpret(fiber);
  heap.bound_freeing(false);
  leave_branch(fiber);
  pay_for_work();
  return reason;
}

StepStatus RunImpl::step(std::uint64_t slice) {
  if (!main) return StepStatus::Faulted;
  if (suspended && !cancelled && !resume()) return StepStatus::Suspended;
  suspended = false;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
  std::uint64_t slice_left = std::min(slice, kLargest);
  for (;;) {
    if (cancelled) {
      cancelled = false;
      raise(cancel_kind, cancel_message);
      return finish(StepStatus::Faulted);
    }
    if (tool_failed) {
      tool_failed = false;
      return finish(StepStatus::Faulted);
    }
    if (heap.has_garbage()) {   // the program goes on when it is gone, so that slices make no difference to it
      slice_left -= std::min(slice_left, heap.free_garbage(std::max(slice_left, Heap::kFreedAtOnce)));
      if (heap.has_garbage()) return StepStatus::Yielded;
    }
    if (main->stack == nullptr) {
      raise_memory();
      return finish(StepStatus::Faulted);
    }
    Fiber* fiber = next_fiber();
    if (fiber == nullptr) {
      if (give_up_calls(*main, false)) continue;
      if (!requests.empty()) return StepStatus::NeedsTool;
      if (deliver() && next_fiber() != nullptr) continue;
      if (waits_for_operations(*main)) {
        suspended = true;
        ++suspensions;
        return StepStatus::Suspended;
      }
      raise(FaultKind::PmapError, "parallel branches wait for each other's tasks");
      return finish(StepStatus::Faulted);
    }
    if (fuel_used >= limits.fuel) {
      raise(FaultKind::FuelExceeded, "fuel limit of " + std::to_string(limits.fuel) + " exceeded");
      return finish(StepStatus::Faulted);
    }
    if (slice_left == 0) return StepStatus::Yielded;
    fuel_left = static_cast<std::int64_t>(std::min({slice_left, limits.fuel - fuel_used, kLargest}));
    const std::int64_t before = fuel_left;
    const ExitReason reason = run_fiber(*fiber);
    const auto used = static_cast<std::uint64_t>(before - fuel_left);
    fuel_used += used;
    slice_left -= std::min(slice_left, used);
    const bool goes_on =
        reason == ExitReason::OutOfSlice || reason == ExitReason::Parked || reason == ExitReason::Committed;
    const bool ends =
        !goes_on && (reason == ExitReason::Stopped || reason == ExitReason::Faulted || fiber == main.get());
    if (fuel_used > limits.fuel && ends) {
      // Bulk work of the last builtin went over the budget: whatever came of it does not count.
      release_result();
      raise(FaultKind::FuelExceeded, "fuel limit of " + std::to_string(limits.fuel) + " exceeded");
      return finish(StepStatus::Faulted);
    }
    if (cancelled) continue;   // in the middle of a builtin
    if (goes_on && heap.has_failed()) {   // the instruction has no look at the memory of its own
      raise_memory();
      return finish(StepStatus::Faulted);
    }
    switch (reason) {
      case ExitReason::OutOfSlice:
      case ExitReason::Parked: break;
      case ExitReason::Committed:
        heap.free_garbage();
        if (yields_at_commits) return StepStatus::Yielded;
        break;
      case ExitReason::Stopped:
        return finish(stop_is_fail ? StepStatus::Failed : StepStatus::Returned);
      case ExitReason::Finished:
        if (fiber == main.get()) return finish(StepStatus::Completed);
        if (fiber == probe_around(*fiber)) {
          end_probe(*fiber->parent);
          break;
        }
        fiber->state = Fiber::State::Finished;
        break;
      case ExitReason::Faulted:
        if (fiber == main.get()) return finish(StepStatus::Faulted);
        if (probe_around(*fiber) != nullptr && fault.kind != FaultKind::MemoryExceeded) {
          fail_probe(*fiber);
          break;
        }
        if (ends_everything(fault.kind)) return finish(StepStatus::Faulted);
        fail_branch(*fiber, fault.kind, fault.message);
        break;
    }
  }
}

}  // namespace ptc
