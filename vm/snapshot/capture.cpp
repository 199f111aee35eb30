// Run -> RunState. Which registers of a frame hold something follows from its code (FrameStates).
#include "vm/exec/frame_states.h"
#include "vm/exec/machine_state.h"
#include "vm/exec/stepper_slots.h"
#include "vm/snapshot/run_state.h"

namespace ptc {
namespace {

std::uint32_t index_of(const StableList<Link>& links, const void* wanted) {
  std::uint32_t index = 0;
  for (const Link& link : links) {
    if (&link == wanted) break;
    ++index;
  }
  return index;
}

LinkState capture_link(const Link& link) {
  LinkState out;
  out.program = link.program;
  out.is_prelude = link.is_prelude;
  std::vector<bool> bound;                // by the names of a prelude; other programs have no names of their own
  if (link.is_prelude) {
    bound.resize(link.functions.size());
    for (const Cell* const cell : link.cells) {
      if (!cell->value.is(Tag::Closure)) continue;
      const auto* closure = static_cast<const Closure*>(cell->value.object);
      bound[static_cast<const Prototype*>(closure->function)->index] = true;
    }
  }
  for (std::uint32_t k = 0; k < link.functions.size(); ++k) {
    const bool is_bound = link.is_prelude && bound[k];
    if (!link.functions[k].is_nil() && !is_bound) out.functions.push_back(k);
  }
  return out;
}

void capture_cells(const MachineView& run, RunState& out) {
  const bool is_in_turn = run.main_fiber() != nullptr;
  out.cells.reserve(run.cells().size());
  for (const Cell& cell : run.cells()) {
    CellState state;
    state.name = cell.name->name();
    state.defined = cell.defined;
    if (cell.defined) state.value = cell.value;
    if (is_in_turn && cell.index < run.base_values().size()) state.base = run.base_values()[cell.index];
    out.cells.push_back(std::move(state));
  }
}

class FiberCapture {
 public:
  FiberCapture(const MachineView& run, const Fiber& fiber, FiberState& out) : run_(run), fiber_(fiber), out_(out) {}

  void run() {
    out_.id = fiber_.id;
    out_.state = fiber_.state;
    out_.request_id = fiber_.request_id;
    request();
    out_.calls = fiber_.calls;
    out_.fork_call = fiber_.fork_call;
    out_.operations = fiber_.operations;
    out_.fork_operation = fiber_.fork_operation;
    out_.stack_size = fiber_.stack_size;
    out_.frame_capacity = fiber_.frames.capacity();
    out_.open_tasks = fiber_.open_tasks;
    out_.waits_for_task = fiber_.waits_for_task;
    out_.fault_kind = fiber_.fault_kind;
    out_.fault_message = fiber_.fault_message;
    out_.fault_found = fiber_.fault_found;
    out_.fault_stack = fiber_.fault_stack;
    // A branch that is only a tool call has no frame to hold the answer.
    const bool only_answer = fiber_.frames.empty() && fiber_.state == Fiber::State::Ready;
    out_.result = only_answer ? fiber_.stack[0] : fiber_.result;
    for (const BranchDefinition& definition : fiber_.definitions) {
      out_.definitions.push_back({definition.cell, definition.defined, definition.value});
    }
    out_.prints = fiber_.prints;
    out_.records = fiber_.records;
    out_.frames.reserve(fiber_.frames.size());
    for (std::uint32_t k = 0; k < fiber_.frames.size(); ++k) frame(k);
  }

 private:
  // The first register that belongs to the callee of frame k, or the end.
  std::uint32_t window_after(std::uint32_t k) const {
    if (k + 1 < fiber_.frames.size()) return fiber_.index_of(fiber_.frames[k + 1].base) - 1;
    return Fiber::is_inside_call(fiber_.state) ? fiber_.result_slot : UINT32_MAX;
  }

  void request() {
    if (fiber_.state != Fiber::State::WaitsForTool) return;
    for (const ToolRequest& request : run_.requests()) {
      if (request.id != fiber_.request_id) continue;
      out_.request_task = request.task_id;
      out_.request_path = request.call_path;
      out_.request_key = request.key;
    }
  }

  void frame(std::uint32_t k) {
    const Frame& frame = fiber_.frames[k];
    FrameState state;
    state.kind = frame.kind;
    state.owns_callee = frame.owns_callee() || frame.borrows_callee;   // restored, it owns it
    state.first_value = static_cast<std::uint32_t>(out_.values.size());
    const Value* const registers = frame.base;
    if (frame.kind == Frame::Kind::Stepper) {
      state.builtin = frame.builtin;
      state.stage = frame.stage;
      state.slot_count = frame.slot_count;
      const bool answered = k + 1 == fiber_.frames.size() && fiber_.state == Fiber::State::Ready &&
                            stepper_awaits_result(frame.builtin, frame.stage);
      out_.values.insert(out_.values.end(), registers, registers + frame.slot_count + (answered ? 1 : 0));
    } else {
      const auto& prototype = *static_cast<const Prototype*>(frame.closure->function);
      state.link = index_of(run_.links(), frame.closure->link);
      state.function = prototype.index;
      state.pc = static_cast<std::uint32_t>(frame.pc - prototype.code.data());
      state.closure = Value::of(Tag::Closure, const_cast<Closure*>(frame.closure));
      const std::uint32_t window = window_after(k);
      const RegState* before = prototype.states().before(window == UINT32_MAX ? state.pc : state.pc - 1);
      const std::uint32_t first = fiber_.index_of(registers);
      for (std::uint32_t reg = 0; reg < prototype.register_count && first + reg < window; ++reg) {
        if (before[reg] != RegState::Dead) out_.values.push_back(registers[reg]);
      }
    }
    state.value_count = static_cast<std::uint32_t>(out_.values.size()) - state.first_value;
    out_.frames.push_back(state);
  }

  const MachineView& run_;
  const Fiber& fiber_;
  FiberState& out_;
};

// Depth first, children in branch order. Branches nest no deeper than the guest nests pmap calls, which frames bound;
// the walk keeps its own stack.
void capture_fibers(const MachineView& run, RunState& out) {
  struct Open {
    const Fiber* fiber;
    std::uint32_t parent;
  };
  std::vector<Open> open{{run.main_fiber(), FiberState::kNoParent}};
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    const auto index = static_cast<std::uint32_t>(out.fibers.size());
    FiberState& state = out.fibers.emplace_back();
    state.parent = next.parent;
    FiberCapture(run, *next.fiber, state).run();
    for (std::size_t k = next.fiber->children.size(); k-- > 0;) open.push_back({next.fiber->children[k].get(), index});
  }
}

}  // namespace

RunState capture(const MachineView& run) {
  RunState out;
  run.copy_counters(out);
  const Environment& env = run.environment();
  const bool in_turn = run.main_fiber() != nullptr;
  out.limits = run.limits();
  out.links.reserve(run.links().size());
  for (const Link& link : run.links()) out.links.push_back(capture_link(link));
  for (std::uint32_t k = 0; const Link& link : run.links()) {
    if (in_turn && link.program.get() == run.program()) out.running = k;
    ++k;
  }
  capture_cells(run, out);
  out.has_journal = env.has_journal;
  for (const Journal::Entry& entry : env.journal.entries()) out.journal.push_back({entry.id, entry.value});
  out.operations = env.operations.all();
  out.last_sequence = env.operations.last_sequence;
  out.last_fresh_id = env.operations.last_fresh_id;
  out.context = run.context();
  out.history = run.history();
  out.budget = env.budget;
  out.retired = run.retired();
  if (in_turn) capture_fibers(run, out);
  out.prints = env.prints;
  out.warnings = env.warnings;
  out.print_bytes = env.print_bytes;
  out.summaries = env.summaries;
  return out;
}

}  // namespace ptc
