#include "vm/exec/machine_state.h"

#include <algorithm>
#include <utility>

#include "vm/exec/run_impl.h"

namespace ptc {

MachineView::MachineView(const Run& run) : MachineView(std::as_const(*run.impl_)) {
  run.impl_->core_.heap().free_garbage();
}

MachineView::MachineView(const RunImpl& run)
    : run_(run),
      heap_(run.core_.heap()),
      limits_(run.core_.limits()),
      links_(run.links_.all()),
      cells_(run.names_.cells()) {}

const std::vector<Value>& MachineView::base_values() const { return run_.names_.base(); }
const std::vector<Value>& MachineView::retired() const { return run_.names_.retired(); }
const Environment& MachineView::environment() const { return run_.core_.env(); }
Value MachineView::context() const { return run_.core_.context(); }
const std::vector<Value>& MachineView::history() const { return run_.core_.history(); }
const Fiber* MachineView::main_fiber() const { return run_.fibers_.main(); }
const Program* MachineView::program() const { return run_.program_.get(); }
std::span<const ToolRequest> MachineView::requests() const { return run_.requests_.waiting(); }

void MachineView::copy_counters(MachineCounters& out) const {
  out.fuel_used = run_.fuel_used_;
  out.tool_calls = run_.requests_.made();
  out.bytes_peak = run_.bytes_peak();
  out.suspended = run_.suspended_;
  out.suspensions = run_.waits_.suspensions();
  out.operations_before = run_.sites_.operations_before();
  out.cancel_requests = run_.operations_.cancel_requests();
  out.run_id = run_.sites_.run_id();
  out.turn = run_.sites_.turn();
  out.next_request = run_.requests_.first_unused_id();
  out.next_fiber_id = run_.fibers_.first_unused_id();
  out.closure_serial = heap_.closure_serial();
  out.tool_failed = run_.fibers_.has_failed();
  if (out.tool_failed) {
    const RunFault& fault = run_.core_.fault();
    out.fault_kind = fault.kind;
    out.fault_message = fault.message;
    out.fault_hint = fault.hint;
    out.fault_found = fault.found;
  }
}

MachineState::MachineState(const RunLimits& limits, std::shared_ptr<MemorySource> memory)
    : run_(std::make_unique<RunImpl>(limits, std::move(memory))),
      view_(std::as_const(*run_)),
      heap_(run_->core_.heap()) {}
MachineState::~MachineState() = default;

Environment& MachineState::environment() { return run_->core_.env(); }

bool MachineState::add_cell(std::string_view name) {
  const std::size_t before = cells().size();
  run_->names_.cell(name);
  return cells().size() != before;
}

void MachineState::begin_link(std::shared_ptr<const Program> program, bool is_prelude) {
  run_->links_.begin(std::move(program), is_prelude);
}

void MachineState::finish_link(std::size_t index, std::span<const std::uint32_t> functions) {
  Link& made = link(index);
  run_->links_.finish(made);
  for (const std::uint32_t function : functions) run_->links_.function(made, function);
  if (!made.is_prelude && !functions.empty()) run_->links_.entry(made);
}

Link& MachineState::link(std::size_t index) { return run_->links_.at(index); }

void MachineState::set_cell(std::size_t index, bool defined, Value taken) {
  run_->names_.restore(index, defined, taken);
}
void MachineState::add_base_value(Value taken) { run_->names_.restore_base(taken); }
void MachineState::set_retired(std::vector<Value> taken) { run_->names_.restore_retired(std::move(taken)); }
void MachineState::set_context(Value taken_map) { run_->core_.set_context(taken_map); }
void MachineState::set_history(std::vector<Value> taken) { run_->core_.set_history(std::move(taken)); }
void MachineState::set_budget(Value taken_map) { run_->core_.set_budget(taken_map); }

Fiber* MachineState::add_fiber(Fiber* parent, std::uint32_t frame_capacity, std::uint32_t registers) {
  return run_->fibers_.restore(parent, frame_capacity, registers);
}

void MachineState::add_request(const Fiber& waiting, std::string task_id, std::string path, std::string key) {
  run_->requests_.restore(run_->tool_calls_.request_of(waiting, std::move(task_id), std::move(path), std::move(key)));
}

void MachineState::set_turn(std::shared_ptr<const Program> program) { run_->program_ = std::move(program); }

void MachineState::set_counters(MachineCounters&& taken) {
  run_->fuel_used_ = taken.fuel_used;
  run_->suspended_ = taken.suspended;
  run_->requests_.restore_counters(taken.next_request, taken.tool_calls);
  run_->waits_.set_suspensions(taken.suspensions);
  run_->operations_.restore_cancel_requests(std::move(taken.cancel_requests));
  run_->sites_.set_identity(std::move(taken.run_id), taken.turn);
  run_->sites_.restore_operations_before(taken.operations_before);
  run_->fibers_.restore_counters(taken.next_fiber_id, taken.tool_failed);
  if (taken.tool_failed) {
    run_->core_.raise(taken.fault_kind, std::move(taken.fault_message), std::move(taken.fault_hint));
    run_->core_.set_fault_found(std::move(taken.fault_found));
  }
  if (!run_->fibers_.in_turn() && taken.turn != 0) run_->ended_peak_ = taken.bytes_peak;
  heap_.restore_counters(taken.closure_serial, std::max(taken.bytes_peak, heap_.bytes_used()));
}

Run MachineState::take_run() { return Run(std::move(run_)); }

}  // namespace ptc
