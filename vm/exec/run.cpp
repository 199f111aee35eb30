// The public face of a run (run.h): what hosts call.
#include "vm/exec/run.h"

#include <algorithm>
#include <utility>

#include "vm/exec/run_impl.h"

namespace ptc {

Run::Run(const RunLimits& limits, std::shared_ptr<MemorySource> memory)
    : impl_(std::make_unique<RunImpl>(limits, std::move(memory))) {}
Run::Run(std::unique_ptr<RunImpl> restored) : impl_(std::move(restored)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

Heap& Run::heap() { return impl_->core_.heap(); }
Environment& Run::environment() { return impl_->core_.env(); }
const RunLimits& Run::limits() const { return impl_->core_.limits(); }

void Run::define(std::string_view name, Value taken) { impl_->names_.define(name, taken); }
void Run::undefine(std::string_view name) { impl_->names_.undefine(name); }
void Run::set_context(Value taken_map) { impl_->core_.set_context(taken_map); }
void Run::set_history(std::vector<Value> taken) { impl_->core_.set_history(std::move(taken)); }
void Run::set_budget(Value taken_map) { impl_->core_.set_budget(taken_map); }
void Run::enable_journal() { impl_->core_.env().has_journal = true; }
void Run::set_patience(Patience* patience) { impl_->set_patience(patience); }
void Run::set_yields_at_commits(bool wanted) { impl_->tasks_.set_yields_at_commits(wanted); }

void Run::start(std::shared_ptr<const Program> program) { impl_->start(std::move(program)); }
StepStatus Run::step(std::uint64_t fuel_slice) { return impl_->step(fuel_slice); }
void Run::revert() { impl_->names_.rollback(); }
Value Run::result() const { return impl_->core_.result(); }
const RunFault& Run::fault() const { return impl_->core_.fault(); }
void Run::cancel(FaultKind kind, std::string message) { impl_->cancel(kind, std::move(message)); }

std::span<const ToolRequest> Run::tool_requests() const { return impl_->requests_.waiting(); }
bool Run::admit(std::uint64_t request_id) { return impl_->tool_calls_.admit(request_id); }
void Run::answer(std::uint64_t request_id, Value taken, bool cached) {
  impl_->tool_calls_.answer(request_id, taken, cached);
}
void Run::answer_error(std::uint64_t request_id, std::string message, std::string found) {
  answer_fault(request_id, FaultKind::ToolError, std::move(message), {}, std::move(found));
}
void Run::answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint,
                       std::string found) {
  impl_->tool_calls_.answer_fault(request_id, kind, std::move(message), std::move(hint), std::move(found));
}

void Run::set_clock(std::int64_t epoch_millis) { impl_->core_.set_clock(epoch_millis); }
std::int64_t Run::clock() const { return impl_->core_.now(); }

void Run::set_identity(std::string run_id, std::uint64_t turn) {
  impl_->sites_.set_identity(std::move(run_id), turn);
}
const std::string& Run::run_id() const { return impl_->sites_.run_id(); }
std::uint64_t Run::turn() const { return impl_->sites_.turn(); }

bool Run::admit_operation(std::uint64_t request_id) { return impl_->tool_calls_.admit_operation(request_id); }
const Operation* Run::answer_pending(std::uint64_t request_id, PendingReply reply) {
  return impl_->tool_calls_.answer_pending(request_id, std::move(reply));
}
const Operation* Run::answer_resolved(std::uint64_t request_id, Settlement settlement) {
  return impl_->tool_calls_.answer_resolved(request_id, std::move(settlement));
}
ResolveStatus Run::resolve(std::string_view operation_id, Settlement settlement) {
  return impl_->operations_.resolve(operation_id, std::move(settlement));
}
ResolveStatus Run::can_resolve(std::string_view operation_id, const Settlement& settlement) const {
  return impl_->operations_.can_resolve(operation_id, settlement);
}
const Operations& Run::operations() const { return impl_->core_.env().operations; }
Operations& Run::operations() { return impl_->core_.env().operations; }
std::vector<AwaitedOperation> Run::awaited() const { return impl_->waits_.awaited(); }
std::optional<std::int64_t> Run::next_deadline() const { return impl_->waits_.next_deadline(); }
std::vector<std::string> Run::take_cancel_requests() { return impl_->operations_.take_cancel_requests(); }
bool Run::suspended() const { return in_turn() && impl_->suspended(); }
std::uint32_t Run::suspensions() const { return impl_->waits_.suspensions(); }
void Run::add_active_micros(std::uint64_t micros) { impl_->add_active_micros(micros); }
std::uint64_t Run::active_micros() const { return impl_->active_micros(); }

std::vector<ToolRecord> Run::tool_records() const { return impl_->tool_calls_.records(); }
bool Run::is_freeing() const { return impl_->core_.heap().has_garbage(); }
std::uint64_t Run::fuel_used() const { return std::min(impl_->fuel_used(), limits().fuel); }
bool Run::charge_fuel(std::uint64_t units) { return impl_->charge_fuel(units); }

std::uint64_t Run::tool_calls_left() const {
  const std::uint64_t most = limits().tool_calls;
  return most - std::min(impl_->requests_.made(), most);
}

SourceSpan Run::position() const {
  const Fiber* fiber = impl_->fibers_.main();
  if (fiber == nullptr) return {};
  while (fiber->state == Fiber::State::WaitsForBranches) {
    const auto alive = std::find_if(fiber->children.begin(), fiber->children.end(),
                                    [](const auto& child) { return !Fiber::is_over(child->state); });
    if (alive == fiber->children.end()) break;
    fiber = alive->get();
  }
  return user_span(*fiber, nullptr);
}

void Run::for_each_definition(const std::function<void(std::string_view, Value)>& visit) const {
  impl_->names_.for_each_definition(visit);
}

std::shared_ptr<const Program> Run::program() const { return impl_->program(); }
bool Run::in_turn() const { return impl_->fibers_.in_turn(); }
Value Run::context() const { return impl_->core_.context(); }
std::span<const Value> Run::history() const { return impl_->core_.history(); }

std::vector<std::shared_ptr<const Program>> Run::programs() const {
  std::vector<std::shared_ptr<const Program>> programs;
  for (const Link& link : impl_->links_.all()) {
    if (!link.is_prelude) programs.push_back(link.program);
  }
  return programs;
}

std::vector<std::string_view> Run::tool_names() const {
  std::vector<std::string_view> names;
  for (const Link& link : impl_->links_.all()) {
    for (const Keyword* tool : link.tools) names.push_back(tool->name());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace ptc
