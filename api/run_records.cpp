// What a run says about itself, and what its host says to it.
#include <algorithm>
#include <map>

#include "api/errors.h"
#include "api/run_impl.h"
#include "runtime/engine/clock.h"

namespace ptcvm {
namespace {

Error refusal_error(const ptc::ResolveRefusal& refusal) {
  switch (refusal.kind) {
    case ptc::FaultKind::UnknownOperation: return host_error(Errc::unknown_operation, refusal.message);
    case ptc::FaultKind::AlreadyResolved: return host_error(Errc::already_resolved, refusal.message);
    case ptc::FaultKind::ResultTooLarge: return host_error(Errc::too_large, refusal.message);
    default: return host_error(Errc::invalid_value, refusal.message);
  }
}

Result<void> told(ptc::Session& session, ptc::Resolution resolution) {
  std::vector<ptc::Resolution> one;
  one.push_back(std::move(resolution));
  if (const auto refusal = session.resolve(std::move(one))) return refusal_error(*refusal);
  return {};
}

Result<void> answered(bool is_answered, std::uint64_t call) {
  if (is_answered) return {};
  return host_error(Errc::wrong_state, "no call " + std::to_string(call) + " waits for an answer");
}

}  // namespace

ValueView Run::result() const { return ValueAccess::view(impl_->awake().result(), impl_->awake().heap()); }

std::optional<Diagnostic> Run::diagnostic() const {
  if (impl_->state != RunState::Failed || impl_->awake().status() != ptc::OutcomeStatus::Error) return std::nullopt;
  return diagnostic_of(impl_->awake().fault());
}

std::vector<std::string> Run::prints() const { return impl_->awake().prints(); }
std::string_view Run::id() const { return impl_->awake().run_id(); }

Usage Run::usage() const {
  const ptc::Run& run = impl_->awake().run();
  Usage out;
  out.fuel = run.fuel_used();
  out.peak_bytes = impl_->awake().heap().bytes_peak();
  out.active_micros = run.active_micros();
  out.tool_calls = static_cast<std::uint32_t>(run.limits().tool_calls - run.tool_calls_left());
  out.suspensions = run.suspensions();
  return out;
}

Outcome Run::outcome() const {
  Outcome out;
  out.state = impl_->state;
  out.diagnostic = diagnostic();
  if (is_over() && !out.diagnostic) out.value = Value::copy_of(result());
  out.prints = prints();
  out.warnings = impl_->awake().warnings();
  for (const ptc::StepSummary& step : impl_->awake().summaries()) out.summaries.emplace_back(step.id, step.summary);
  std::sort(out.summaries.begin(), out.summaries.end());
  out.usage = usage();
  return out;
}

std::vector<PendingOperation> Run::pending() const {
  ptc::Session& session = impl_->awake();
  std::map<std::string_view, std::int64_t> awaited;
  for (const ptc::AwaitedOperation& operation : session.run().awaited()) {
    awaited.emplace(operation.id, operation.deadline_ms);
  }
  std::vector<PendingOperation> out;
  for (const ptc::Operation& operation : session.operations().all()) {
    if (operation.status != ptc::Operation::Status::Waiting) continue;
    PendingOperation& one = out.emplace_back();
    one.id = operation.id;
    one.tool = operation.tool;
    one.args = ValueAccess::view(operation.args, session.heap());
    one.progress = ValueAccess::view(operation.immediate, session.heap());
    one.since_ms = operation.created_ms;
    const auto at = awaited.find(operation.id);
    one.is_awaited = at != awaited.end();
    if (one.is_awaited) one.deadline_ms = at->second;
    one.is_sleep = operation.kind == ptc::Operation::Kind::Sleep;
    if (one.is_sleep) one.deadline_ms = operation.due_ms;
  }
  return out;
}

Result<void> Run::resolve(std::string_view operation, ValueView value) {
  return told(impl_->awake(), ptc::Resolution::ok(std::string(operation), imported(impl_->awake().heap(), value)));
}
Result<void> Run::resolve_error(std::string_view operation, std::string reason) {
  return told(impl_->awake(), ptc::Resolution::error(std::string(operation), std::move(reason)));
}
Result<void> Run::resolve_cancelled(std::string_view operation, std::string reason) {
  return told(impl_->awake(), ptc::Resolution::cancel(std::string(operation), std::move(reason)));
}
Result<void> Run::progress(std::string_view operation, ValueView value) {
  return told(impl_->awake(),
              ptc::Resolution::progress(std::string(operation), imported(impl_->awake().heap(), value)));
}

std::vector<std::string> Run::take_cancelled() { return impl_->awake().take_cancel_requests(); }

std::optional<std::int64_t> Run::wake_time_ms() const {
  std::optional<std::int64_t> wake;
  if (impl_->state == RunState::Suspended) wake = impl_->awake().run().next_deadline();
  if (const auto retry = impl_->awake().calls().retries().next_due()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*retry - std::chrono::steady_clock::now());
    const std::int64_t at = ptc::system_millis() + std::max<std::int64_t>(left.count(), 0);
    if (!wake || at < *wake) wake = at;
  }
  return wake;
}

void Run::set_time(std::int64_t ms) { impl_->awake().clock().set_given_time(ms); }

namespace {

std::vector<WaitingCall> waiting(ptc::Session& session, bool wants_questions) {
  std::vector<WaitingCall> out;
  for (const ptc::ToolRequest& request : session.run().tool_requests()) {
    if (session.calls().retries().contains(request.id)) continue;
    const ptc::Approval* const question = session.gate().question_about(request);
    if ((question != nullptr) != wants_questions) continue;
    WaitingCall& call = out.emplace_back();
    call.id = request.id;
    call.tool = request.tool;
    call.args = ValueAccess::view(request.args, session.heap());
    call.key = question != nullptr ? session.gate().key_of(request) : request.key;
    call.task_id = request.task_id;
    if (question != nullptr) call.question = question->text;
  }
  return out;
}

}  // namespace

std::vector<WaitingCall> Run::calls() const { return waiting(impl_->awake(), false); }
std::vector<WaitingCall> Run::questions() const { return waiting(impl_->awake(), true); }

Result<void> Run::answer(std::uint64_t call, ValueView value) {
  ptc::Session& session = impl_->awake();
  return answered(session.calls().answer(call, ptc::ToolReply::value(imported(session.heap(), value))), call);
}
Result<void> Run::answer_error(std::uint64_t call, std::string message) {
  return answered(impl_->awake().calls().answer(call, ptc::ToolReply::error(std::move(message))), call);
}
Result<void> Run::answer_pending(std::uint64_t call, std::string operation_id) {
  return answered(impl_->awake().calls().answer(call, ptc::ToolReply::pending(std::move(operation_id))), call);
}

Result<void> Run::decide(std::string_view key, bool allowed, std::string reason,
                         const std::optional<std::string>& args_edn) {
  if (auto complaint = impl_->awake().gate().decide(key, allowed, std::move(reason), args_edn)) {
    return host_error(Errc::refused, std::move(*complaint));
  }
  return {};
}

}  // namespace ptcvm
