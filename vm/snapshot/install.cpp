#include "vm/snapshot/install.h"

#include <algorithm>
#include <utility>

#include "vm/builtins/record_bytes.h"
#include "vm/exec/machine_state.h"
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

// What the check of a fiber found out, and the fiber that was made of it.
struct CheckedFiber {
  std::vector<FramePlan> plans;
  std::uint32_t result_slot = 0;
  bool in_probe = false, has_probe = false;
  Fiber* made = nullptr;
};

class Installer {
 public:
  Installer(RunState& state, MachineState& run) : state_(state), run_(run) {}

  std::string run() {
    std::string problem = check_values();
    if (problem.empty()) problem = check_counters();
    if (problem.empty()) problem = check_operations();
    if (problem.empty()) problem = check_fibers();
    if (!problem.empty()) return problem;
    install_namespace();
    install_records();
    if (!install_fibers()) return "more stack than the memory limit";
    run_.set_turn(state_.fibers.empty() ? nullptr : state_.links[state_.running].program);
    run_.set_counters(std::move(state_));
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
    for (const Link& link : run_.links()) {
      for (const Value& function : link.functions) keep(function);
    }
    for (const Operation& operation : state_.operations) out.operations.insert(operation.id);
    out.elements_left = run_.heap().bytes_used() / sizeof(Value);
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
    checked_.resize(state_.fibers.size());
    for (std::uint32_t k = 0; k < state_.fibers.size(); ++k) {
      std::string problem = check_place(k, known);
      if (problem.empty()) problem = check_fiber(k, known);
      if (!problem.empty()) return "fiber " + std::to_string(k) + ": " + problem;
    }
    return has_twins(requests_) ? "two requests with one id" : "";
  }

  // The place of a fiber below the fibers before it.
  std::string check_place(std::uint32_t k, CheckContext& known) {
    const FiberState& fiber = state_.fibers[k];
    if ((k == 0) != (fiber.parent == FiberState::kNoParent)) return "its parent";
    for (; !ancestors_.empty() && ancestors_.back() != fiber.parent; ancestors_.pop_back()) {
      forget_definitions(known, state_.fibers[ancestors_.back()]);
    }
    if (ancestors_.size() > kMaxNesting) return "branches nested too deep";
    if (waits_for_task(fiber) && !state_.has_journal) return "a wait for a task without a journal";
    if (k > 0 && ancestors_.empty()) return "its parent";
    if (k > 0 && waits_for_task(state_.fibers[fiber.parent])) {
      CheckedFiber& parent = checked_[fiber.parent];
      if (fiber.parent == 0 || parent.has_probe || !is_probe(fiber, state_.fibers[fiber.parent])) return "its parent";
      parent.has_probe = checked_[k].in_probe = true;
    } else if (k > 0) {
      if (!collects_branches(state_.fibers[fiber.parent])) return "its parent";
      checked_[k].in_probe = checked_[fiber.parent].in_probe;
    }
    ancestors_.push_back(k);
    return {};
  }

  std::string check_fiber(std::uint32_t k, CheckContext& known) {
    const FiberState& fiber = state_.fibers[k];
    CheckedFiber& checked = checked_[k];
    keep_definitions(known, fiber);
    for (const DefinitionState& definition : fiber.definitions) {
      if (k == 0 || definition.cell >= run_.cells().size() || !is_visible(definition.value)) return "its definitions";
    }
    FiberCheck check(run_, state_, fiber, known, k == 0, checked.in_probe);
    if (!check.run()) return check.problem;
    stack_bytes_ += std::uint64_t{fiber.stack_size} * sizeof(Value);
    if (!run_.heap().can_allocate(stack_bytes_)) return "more stack than the memory limit";
    if (fiber.state == Fiber::State::WaitsForTool && !checked.in_probe) requests_.push_back(fiber.request_id);
    checked.result_slot = check.result_slot;
    checked.plans = std::move(check.plans);
    return {};
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
    for (std::size_t k = 0; k < state_.cells.size(); ++k) {
      CellState& cell = state_.cells[k];
      run_.set_cell(k, cell.defined, take(cell.value));
      if (in_turn) run_.add_base_value(take(cell.base));
    }
    run_.set_retired(std::exchange(state_.retired, {}));
    Environment& env = run_.environment();
    env.has_journal = state_.has_journal;
    for (JournalState& entry : state_.journal) env.journal.restore(std::move(entry.id), take(entry.value));
    run_.set_context(take(state_.context));
    run_.set_history(std::exchange(state_.history, {}));
    run_.set_budget(take(state_.budget));
  }

  void count_prints(const std::vector<std::string>& prints) {
    for (const std::string& text : prints) run_.environment().heap.account_records(counted_print_bytes(text));
  }

  void install_records() {
    Environment& env = run_.environment();
    env.prints = std::move(state_.prints);
    count_prints(env.prints);
    env.warnings = std::move(state_.warnings);
    env.print_bytes = state_.print_bytes;
    env.summaries = std::move(state_.summaries);
    for (const StepSummary& summary : env.summaries) env.heap.account(counted_bytes(summary));
    env.operations.reserve(state_.operations.size());
    for (Operation& operation : state_.operations) {
      Operation taken = std::move(operation);
      // NOLINTNEXTLINE(bugprone-use-after-move): written, not read: its values have another owner now
      operation.args = operation.immediate = operation.arrived_immediate = operation.result = Value::nil();
      env.operations.open(std::move(taken));
    }
    env.operations.last_sequence = state_.last_sequence;
    env.operations.last_fresh_id = state_.last_fresh_id;
  }

  bool install_fibers() {
    for (std::size_t k = 0; k < state_.fibers.size(); ++k) {
      FiberState& state = state_.fibers[k];
      Fiber* const parent = k == 0 ? nullptr : checked_[state.parent].made;
      Fiber* const made = run_.add_fiber(parent, state.frame_capacity, state.stack_size);
      if (made == nullptr) return false;
      if (parent != nullptr) parent->branch_failed |= state.state == Fiber::State::Faulted;
      checked_[k].made = made;
      install_fiber(*made, state, checked_[k]);
    }
    list_requests();
    return true;
  }

  void install_fiber(Fiber& fiber, FiberState& state, const CheckedFiber& checked) {
    for (std::size_t k = 0; k < state.frames.size(); ++k) push_frame(fiber, state, state.frames[k], checked.plans[k]);
    fiber.id = state.id;
    fiber.state = state.state;
    fiber.request_id = state.request_id;
    fiber.result_slot = checked.result_slot;
    fiber.calls = state.calls;
    fiber.fork_call = state.fork_call;
    fiber.operations = state.operations;
    fiber.fork_operation = state.fork_operation;
    fiber.open_tasks = std::move(state.open_tasks);
    for (const OpenTask& task : fiber.open_tasks) run_.environment().heap.account_records(counted_bytes(task));
    fiber.waits_for_task = std::move(state.waits_for_task);
    fiber.fault_kind = state.fault_kind;
    fiber.fault_message = std::move(state.fault_message);
    fiber.fault_found = std::move(state.fault_found);
    fiber.fault_stack = std::move(state.fault_stack);
    if (state.frames.empty() && state.state == Fiber::State::Ready) {
      fiber.stack[0] = take(state.result);
    } else {
      fiber.result = take(state.result);
    }
    for (DefinitionState& definition : state.definitions) {
      fiber.definitions.push_back({definition.cell, take(definition.value), definition.defined});
    }
    fiber.prints = std::move(state.prints);
    count_prints(fiber.prints);
    fiber.records = std::move(state.records);
    state.records.clear();
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
      run_.heap().release(frame.closure);
    }
    frame.closure = Value::nil();
    fiber.frames.push() =
        Frame::bytecode(prototype->code.data() + frame.pc, closure, registers, frame.owns_callee);
  }

  // What the host is asked follows from the fibers that wait for it.
  void list_requests() {
    for (std::size_t k = 0; k < checked_.size(); ++k) {
      const Fiber& fiber = *checked_[k].made;
      if (fiber.state != Fiber::State::WaitsForTool || fiber.request_id == 0) continue;
      const bool has_failed = !fiber.records.empty() && !fiber.records.back().error.empty();
      if (state_.tool_failed && (k == 0 || has_failed)) continue;   // its call ended the turn: nobody asks again
      FiberState& state = state_.fibers[k];
      run_.add_request(fiber, std::move(state.request_task), std::move(state.request_path),
                       std::move(state.request_key));
    }
  }

  RunState& state_;
  MachineState& run_;
  std::vector<CheckedFiber> checked_;        // one for each fiber of the state
  std::vector<std::uint32_t> ancestors_;     // the fibers around the one that is checked, outermost first
  std::vector<std::uint64_t> requests_;
  std::uint64_t stack_bytes_ = 0;            // the stacks of all fibers that were checked
};

}  // namespace

std::string install(RunState& state, MachineState& run) { return Installer(state, run).run(); }

}  // namespace ptc
