#include "vm/snapshot/install.h"

#include <algorithm>
#include <utility>

#include "vm/exec/run_impl.h"
#include "vm/exec/stepper_slots.h"
#include "vm/snapshot/fiber_check.h"
#include "vm/value/map.h"

namespace ptc {
namespace {

template <class T>
bool has_twins(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  return std::adjacent_find(items.begin(), items.end()) != items.end();
}

Value take(Value& from) {
  const Value taken = from;
  from = Value::nil();
  return taken;
}

class Installer {
 public:
  Installer(RunState& state, RunImpl& run) : state_(state), run_(run) {}

  std::string run() {
    std::string problem = check_values();
    if (problem.empty()) problem = check_counters();
    if (problem.empty()) problem = check_operations();
    if (problem.empty()) problem = check_fibers();
    if (!problem.empty()) return problem;
    install_namespace();
    install_records();
    if (!install_fibers()) return "more stack than the memory limit";
    install_counters();
    return {};
  }

 private:
  std::string check_values() const {
    for (const CellState& cell : state_.cells) {
      if (!is_visible(cell.value) || cell.base.is(Tag::Hidden)) return "definition of " + cell.name;
      if (!cell.defined && !cell.value.is_nil()) return "value of a name that is not defined";
    }
    std::vector<std::string_view> tasks;
    for (const JournalState& entry : state_.journal) {
      if (!is_visible(entry.value)) return "journal";
      tasks.push_back(entry.id);
    }
    if (has_twins(tasks)) return "two journal entries with one id";
    if (!state_.has_journal && !state_.journal.empty()) return "journal entries without a journal";
    if (!state_.context.is_map() && !state_.context.is_nil()) return "context";
    if (!state_.budget.is_map() && !state_.budget.is_nil()) return "budget";
    if (state_.history.size() > 3) return "history goes back three turns";
    for (const Value& value : state_.history) {
      if (!is_visible(value)) return "history";
    }
    for (const Value& value : state_.retired) {
      if (!value.is(Tag::Closure)) return "retired functions";
    }
    return {};
  }

  // Numbers that are given out one after the other must not come to an end.
  std::string check_counters() const {
    constexpr std::uint64_t kMost = 3'000'000'000, kMostSequence = std::uint64_t{1} << 62;
    const bool fits = state_.last_sequence < kMostSequence && state_.last_fresh_id < kMost &&
                      state_.next_request < kMost && state_.next_fiber_id < kMost && state_.turn < kMost &&
                      state_.suspensions < kMost;
    const bool begun = state_.next_request != 0 && state_.next_fiber_id != 0;
    return fits && begun && state_.operations_before <= state_.operations.size() ? "" : "counters";
  }

  std::string check_operations() const {
    std::vector<std::string_view> ids;
    for (const Operation& operation : state_.operations) {
      const bool waiting = operation.status == Operation::Status::Waiting;
      const bool visible = is_visible(operation.args) && is_visible(operation.immediate) &&
                           !operation.arrived_immediate.is(Tag::Hidden) && is_visible(operation.result);
      if (operation.id.empty() || !visible) return "operation " + operation.id;
      if (waiting != (operation.sequence == 0) || operation.sequence > state_.last_sequence) {
        return "operation " + operation.id + ": its place in the order of settlements";
      }
      if (operation.status != Operation::Status::Ok && !operation.result.is_nil()) {
        return "operation " + operation.id + ": a result without success";
      }
      if (waiting && operation.delivered) return "operation " + operation.id + ": delivered before it was settled";
      ids.push_back(operation.id);
    }
    return has_twins(ids) ? "two operations with one id" : "";
  }

  // Functions that any frame may run without owning them, and what an await may wait for.
  CheckContext context() const {
    CheckContext out;
    const auto keep = [&](Value v) {
      if (v.is(Tag::Closure)) out.kept_closures.insert(v.object);
    };
    for (const CellState& cell : state_.cells) {
      keep(cell.value);
      keep(cell.base);
    }
    for (const Value& value : state_.retired) keep(value);
    for (const Link& link : run_.links().all()) {
      for (const Value& function : link.functions) keep(function);
    }
    for (const Operation& operation : state_.operations) out.operations.insert(operation.id);
    out.elements_left = run_.core().heap().bytes_used() / sizeof(Value);
    return out;
  }

  static void keep_definitions(CheckContext& known, const FiberState& fiber) {
    for (const DefinitionState& definition : fiber.definitions) {
      if (definition.value.is(Tag::Closure)) ++known.kept_by_branches[definition.value.object];
    }
  }
  static void forget_definitions(CheckContext& known, const FiberState& fiber) {
    for (const DefinitionState& definition : fiber.definitions) {
      if (!definition.value.is(Tag::Closure)) continue;
      const auto at = known.kept_by_branches.find(definition.value.object);
      if (--at->second == 0) known.kept_by_branches.erase(at);
    }
  }

  std::string check_fibers() {
    if (state_.fibers.empty() && (state_.tool_failed || state_.suspended)) return "a turn without fibers";
    CheckContext known = context();
    std::vector<std::uint64_t> requests;
    std::vector<std::uint32_t> ancestors;   // of the fiber before: parents come first, depth first
    std::vector<bool> in_probe(state_.fibers.size()), has_probe(state_.fibers.size());
    std::uint64_t stack_bytes = 0;
    for (std::uint32_t k = 0; k < state_.fibers.size(); ++k) {
      const FiberState& fiber = state_.fibers[k];
      const std::string where = "fiber " + std::to_string(k) + ": ";
      if ((k == 0) != (fiber.parent == FiberState::kNoParent)) return where + "its parent";
      for (; !ancestors.empty() && ancestors.back() != fiber.parent; ancestors.pop_back()) {
        forget_definitions(known, state_.fibers[ancestors.back()]);
      }
      if (ancestors.size() > kMaxNesting) return where + "branches nested too deep";
      if (waits_for_task(fiber) && !state_.has_journal) return where + "a wait for a task without a journal";
      if (k > 0 && ancestors.empty()) return where + "its parent";
      if (k > 0 && waits_for_task(state_.fibers[fiber.parent])) {
        if (fiber.parent == 0 || has_probe[fiber.parent] || !is_probe(fiber, state_.fibers[fiber.parent])) {
          return where + "its parent";
        }
        has_probe[fiber.parent] = in_probe[k] = true;
      } else if (k > 0) {
        if (!collects_branches(state_.fibers[fiber.parent])) return where + "its parent";
        in_probe[k] = in_probe[fiber.parent];
      }
      ancestors.push_back(k);
      keep_definitions(known, fiber);
      for (const DefinitionState& definition : fiber.definitions) {
        if (k == 0 || definition.cell >= run_.names().cells().size() || !is_visible(definition.value)) {
          return where + "its definitions";
        }
      }
      FiberCheck check(run_, state_, fiber, known, k == 0, in_probe[k]);
      if (!check.run()) return where + check.problem;
      stack_bytes += std::uint64_t{fiber.stack_size} * sizeof(Value);
      if (!run_.core().heap().can_allocate(stack_bytes)) return where + "more stack than the memory limit";
      if (fiber.state == Fiber::State::WaitsForTool && !in_probe[k]) requests.push_back(fiber.request_id);
      result_slots_.push_back(check.result_slot);
      plans_.push_back(std::move(check.plans));
    }
    return has_twins(requests) ? "two requests with one id" : "";
  }

  static bool collects_branches(const FiberState& fiber) {
    if (fiber.frames.empty()) return false;
    const FrameState& top = fiber.frames.back();
    const bool parallel = top.builtin == BuiltinId::pmap || top.builtin == BuiltinId::pcalls;
    return top.kind == Frame::Kind::Stepper && parallel && top.stage == kParallelCollect;
  }

  static bool waits_for_task(const FiberState& fiber) { return fiber.state == Fiber::State::WaitsForTask; }

  // vm/exec/probes.cpp: it began with the body of the task that its parent waits for.
  static bool is_probe(const FiberState& fiber, const FiberState& parent) {
    return !fiber.frames.empty() && fiber.frames.front().kind == Frame::Kind::Bytecode &&
           fiber.open_tasks.size() == 1 && fiber.open_tasks.front().id == parent.waits_for_task;
  }

  void install_namespace() {
    const bool in_turn = !state_.fibers.empty();
    Namespace& names = run_.names();
    for (std::size_t k = 0; k < state_.cells.size(); ++k) {
      CellState& cell = state_.cells[k];
      names.restore(k, cell.defined, take(cell.value));
      if (in_turn) names.restore_base(take(cell.base));
    }
    names.restore_retired(std::exchange(state_.retired, {}));
    RunCore& core = run_.core();
    core.env().has_journal = state_.has_journal;
    for (JournalState& entry : state_.journal) core.env().journal.restore(std::move(entry.id), take(entry.value));
    core.set_context(take(state_.context));
    core.set_history(std::exchange(state_.history, {}));
    core.set_budget(take(state_.budget));
  }

  void install_records() {
    Environment& env = run_.core().env();
    env.prints = std::move(state_.prints);
    env.warnings = std::move(state_.warnings);
    env.print_bytes = state_.print_bytes;
    env.summaries = std::move(state_.summaries);
    env.operations.reserve(state_.operations.size());
    for (Operation& operation : state_.operations) {
      Operation taken = std::move(operation);
      // NOLINTNEXTLINE(bugprone-use-after-move): written, not read: its values have another owner now
      operation.args = operation.immediate = operation.arrived_immediate = operation.result = Value::nil();
      env.operations.open(std::move(taken));
    }
    env.operations.last_sequence = state_.last_sequence;
    env.operations.last_fresh_id = state_.last_fresh_id;
    run_.operations().restore_cancel_requests(std::move(state_.cancel_requests));
  }

  bool install_fibers() {
    std::vector<Fiber*> made;
    for (std::size_t k = 0; k < state_.fibers.size(); ++k) {
      FiberState& state = state_.fibers[k];
      Fiber* const parent = k == 0 ? nullptr : made[state.parent];
      made.push_back(&run_.fibers().restore(parent));
      if (parent != nullptr) parent->branch_failed |= state.state == Fiber::State::Faulted;
      if (!install_fiber(*made.back(), state, k)) return false;
    }
    list_requests(made);
    return true;
  }

  bool install_fiber(Fiber& fiber, FiberState& state, std::size_t index) {
    const std::uint32_t room = std::min(state.frame_capacity, run_.core().limits().depth);
    if (room != 0 && !fiber.frames.reserve(room)) return false;
    run_.core().heap().account(static_cast<std::int64_t>(std::uint64_t{fiber.frames.capacity()} * sizeof(Frame)));
    if (state.stack_size != 0 && !run_.fibers().grow_stack(fiber, state.stack_size)) return false;
    for (std::size_t k = 0; k < state.frames.size(); ++k) push_frame(fiber, state, state.frames[k], plans_[index][k]);
    fiber.id = state.id;
    fiber.state = state.state;
    fiber.request_id = state.request_id;
    fiber.result_slot = result_slots_[index];
    fiber.calls = state.calls;
    fiber.fork_call = state.fork_call;
    fiber.operations = state.operations;
    fiber.fork_operation = state.fork_operation;
    fiber.open_tasks = std::move(state.open_tasks);
    fiber.waits_for_task = std::move(state.waits_for_task);
    fiber.fault_kind = state.fault_kind;
    fiber.fault_message = std::move(state.fault_message);
    if (state.frames.empty() && state.state == Fiber::State::Ready) {
      fiber.stack[0] = take(state.result);
    } else {
      fiber.result = take(state.result);
    }
    for (DefinitionState& definition : state.definitions) {
      fiber.definitions.push_back({definition.cell, take(definition.value), definition.defined});
    }
    fiber.prints = std::move(state.prints);
    fiber.records = std::move(state.records);
    state.records.clear();
    return true;
  }

  void push_frame(Fiber& fiber, FiberState& state, FrameState& frame, const FramePlan& plan) {
    Value* const registers = fiber.stack + plan.base;
    std::uint32_t next = frame.first_value;
    if (frame.kind == Frame::Kind::Stepper) {
      for (std::uint32_t k = 0; k < frame.value_count; ++k) registers[k] = take(state.values[next++]);
      fiber.frames.push() = Frame::stepper(frame.builtin, registers, frame.slot_count, frame.stage, false);
      return;
    }
    const auto* closure = static_cast<const Closure*>(frame.closure.object);
    const std::int64_t loop_limit = static_cast<const Link*>(closure->link)->loop_limit;
    for (std::uint32_t reg = 0; reg < plan.limit; ++reg) {
      if (plan.states[reg] == RegState::Dead) continue;
      registers[reg] = take(state.values[next++]);
      if (plan.states[reg] == RegState::Counter) registers[reg].i = std::min(registers[reg].i, loop_limit);
    }
    const auto* prototype = static_cast<const Prototype*>(closure->function);
    if (frame.owns_callee) {
      registers[-1] = frame.closure;
    } else {
      run_.core().heap().release(frame.closure);
    }
    frame.closure = Value::nil();
    fiber.frames.push() =
        Frame::bytecode(prototype->code.data() + frame.pc, closure, registers, frame.owns_callee);
  }

  // What the host is asked follows from the fibers that wait for it.
  void list_requests(const std::vector<Fiber*>& fibers) {
    std::vector<ToolRequest> requests;
    for (std::size_t k = 0; k < fibers.size(); ++k) {
      if (fibers[k]->state != Fiber::State::WaitsForTool || fibers[k]->request_id == 0) continue;
      if (state_.tool_failed && k == 0) continue;
      FiberState& state = state_.fibers[k];
      requests.push_back(run_.tool_calls().request_of(*fibers[k], std::move(state.request_task),
                                                      std::move(state.request_path), std::move(state.request_key)));
    }
    run_.requests().restore_waiting(std::move(requests));
  }

  void install_counters() {
    const bool in_turn = !state_.fibers.empty();
    run_.restore_turn(in_turn ? state_.links[state_.running].program : nullptr, state_.fuel_used, state_.suspended);
    run_.requests().restore(state_.next_request, state_.tool_calls);
    run_.waits().set_suspensions(state_.suspensions);
    run_.sites().set_identity(std::move(state_.run_id), state_.turn);
    run_.sites().restore_operations_before(state_.operations_before);
    run_.fibers().restore_counters(state_.next_fiber_id, state_.tool_failed);
    RunCore& core = run_.core();
    if (state_.tool_failed) {
      core.raise(state_.fault_kind, std::move(state_.fault_message), std::move(state_.fault_hint));
    }
    core.heap().restore_counters(state_.closure_serial, std::max(state_.bytes_peak, core.heap().bytes_used()));
  }

  RunState& state_;
  RunImpl& run_;
  std::vector<std::vector<FramePlan>> plans_;
  std::vector<std::uint32_t> result_slots_;
};

}  // namespace

std::string install(RunState& state, RunImpl& run) { return Installer(state, run).run(); }

}  // namespace ptc
