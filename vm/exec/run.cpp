// The public face of a run (run.h): what hosts call.
#include "vm/exec/run.h"

#include <algorithm>

#include "vm/exec/run_impl.h"

namespace ptc {

Run::Run(const RunLimits& limits, std::shared_ptr<MemorySource> memory)
    : impl_(std::make_unique<RunImpl>(limits, std::move(memory))) {}
Run::Run(std::unique_ptr<RunImpl> restored) : impl_(std::move(restored)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

Heap& Run::heap() { return impl_->heap; }
Environment& Run::environment() { return impl_->env; }
const RunLimits& Run::limits() const { return impl_->limits; }

void Run::define(std::string_view name, Value taken) {
  Cell* cell = impl_->cell(name);
  impl_->heap.release(cell->value);
  cell->set(taken);
  cell->defined = true;
}

void Run::undefine(std::string_view name) {
  Cell* cell = impl_->cell(name);
  impl_->heap.release(cell->value);
  cell->set(Value::nil());
  cell->defined = false;
}

void Run::set_context(Value taken_map) {
  impl_->heap.release(impl_->context);
  impl_->context = taken_map;
}

void Run::set_history(std::vector<Value> taken_newest_first) {
  for (const Value& v : impl_->history) impl_->heap.release(v);
  impl_->history = std::move(taken_newest_first);
}

void Run::set_budget(Value taken_map) {
  impl_->heap.release(impl_->env.budget);
  impl_->env.budget = taken_map;
}

void Run::enable_journal() { impl_->env.has_journal = true; }
void Run::set_patience(Patience* patience) { impl_->patience = patience; }
void Run::set_yields_at_commits(bool wanted) { impl_->yields_at_commits = wanted; }

void Run::start(std::shared_ptr<const Program> program) {
  RunImpl& run = *impl_;
  if (run.main) {
    run.destroy_fiber(*run.main);
    run.main.reset();
    run.rollback();
  }
  run.clear_records();
  run.heap.set_limit_bytes(run.heap.limit_bytes());   // the machine may have memory again
  run.suspended = false;
  run.operations_before = static_cast<std::uint32_t>(run.env.operations.all().size());
  run.env.operations.deliver_all();
  ++run.turn;
  Link& link = run.link(program);
  if (link.entry == nullptr) {
    link.entry = const_cast<Closure*>(run.function_closure(link, 0));
    ++link.entry->rc;
  }
  run.program = std::move(program);
  run.fault = {};
  run.forget_base();
  for (const Cell& cell : run.cells) {
    run.base_values.push_back(cell.defined ? retained(cell.value) : Value::absent());
  }
  run.main = run.make_fiber(link.entry);
}

StepStatus Run::step(std::uint64_t fuel_slice) { return impl_->step(fuel_slice); }
void Run::revert() { impl_->rollback(); }
Value Run::result() const { return impl_->result; }
const RunFault& Run::fault() const { return impl_->fault; }

void Run::cancel(FaultKind kind, std::string message) {
  impl_->cancelled = true;
  impl_->cancel_kind = kind;
  impl_->cancel_message = std::move(message);
}

std::span<const ToolRequest> Run::tool_requests() const { return impl_->requests; }

bool Run::admit(std::uint64_t request_id) {
  RunImpl& run = *impl_;
  if (run.tool_calls < run.limits.tool_calls) {
    ++run.tool_calls;
    return true;
  }
  answer_fault(request_id, FaultKind::ToolCallLimitExceeded,
               "tool call limit exceeded (" + std::to_string(run.limits.tool_calls) + " calls)", {});
  return false;
}

void Run::answer(std::uint64_t request_id, Value taken, bool cached) {
  Fiber* fiber = impl_->take_request(request_id, nullptr);
  if (fiber == nullptr) {
    impl_->heap.release(taken);
    return;
  }
  fiber->records.back().result = retained(taken);
  fiber->records.back().cached = cached;
  impl_->put_answer(*fiber, taken);
}

void Run::answer_error(std::uint64_t request_id, std::string message) {
  answer_fault(request_id, FaultKind::ToolError, std::move(message), {});
}

void Run::answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint) {
  RunImpl& run = *impl_;
  Fiber* fiber = run.take_request(request_id, nullptr);
  if (fiber != nullptr) run.fail_call(*fiber, kind, std::move(message), std::move(hint));
}

void Run::set_clock(std::int64_t epoch_millis) { impl_->clock_millis = epoch_millis; }
std::int64_t Run::clock() const { return impl_->clock_millis; }

bool Run::is_freeing() const { return impl_->heap.has_garbage(); }

std::uint64_t Run::fuel_used() const { return std::min(impl_->fuel_used, impl_->limits.fuel); }

std::uint64_t Run::tool_calls_left() const {
  const std::uint64_t most = impl_->limits.tool_calls;
  return most - std::min(impl_->tool_calls, most);
}

SourceSpan Run::position() const {
  if (impl_->main == nullptr) return {};
  const Fiber* fiber = impl_->main.get();
  while (fiber->state == Fiber::State::WaitsForBranches) {
    const auto alive = std::find_if(fiber->children.begin(), fiber->children.end(),
                                    [](const auto& child) { return !Fiber::is_over(child->state); });
    if (alive == fiber->children.end()) break;
    fiber = alive->get();
  }
  return impl_->user_span(*fiber, nullptr);
}

void Run::for_each_definition(const std::function<void(std::string_view, Value)>& visit) const {
  for (const auto& [name, cell] : impl_->cell_of) {
    if (cell->defined) visit(name, cell->value);
  }
}

std::shared_ptr<const Program> Run::program() const { return impl_->program; }
bool Run::in_turn() const { return impl_->main != nullptr; }
Value Run::context() const { return impl_->context; }
std::span<const Value> Run::history() const { return impl_->history; }

std::vector<std::shared_ptr<const Program>> Run::programs() const {
  std::vector<std::shared_ptr<const Program>> programs;
  for (const Link& link : impl_->links) {
    if (!link.is_prelude) programs.push_back(link.program);
  }
  return programs;
}

std::vector<std::string_view> Run::tool_names() const {
  std::vector<std::string_view> names;
  for (const Link& link : impl_->links) {
    for (const Keyword* tool : link.tools) names.push_back(tool->name());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace ptc
