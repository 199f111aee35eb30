#include <chrono>

#include "api/run_impl.h"

namespace ptcvm {
namespace {

std::int64_t unix_micros() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

const char* event_name(EventKind kind) {
  static constexpr const char* kNames[] = {"run_start", "form",  "tool_start", "tool_end", "open",    "resolve",
                                           "commit",    "reset", "print",      "progress", "ask",     "retry",
                                           "limit",     "warning", "suspend",  "resume",   "fault",   "run_end"};
  return kNames[static_cast<std::size_t>(kind)];
}

void EventSource::attend(ptc::Session& session) {
  session_ = &session;
  is_suspended_ = session.in_turn() && run_state_of(session) == RunState::Suspended;
  suspensions_ = session.run().suspensions();
}

Event EventSource::made(EventKind kind) const {
  Event event;
  event.kind = kind;
  event.run_id = session_->run_id();
  event.turn = session_->run().turn();
  return event;
}

// What others say to a suspended run does not make it go on; everything else shows that it does.
void EventSource::send(Event event) {
  if (observer_ == nullptr) return;
  const bool is_from_outside = event.kind == EventKind::Resolve || event.kind == EventKind::Ask ||
                               (event.kind == EventKind::Progress && !event.operation.empty());
  if (is_suspended_ && !is_from_outside) {
    is_suspended_ = false;
    Event resume = made(EventKind::Resume);
    deliver(resume);
  }
  deliver(event);
}

void EventSource::deliver(Event& event) {
  event.sequence = ++sequence_;
  event.unix_micros = unix_micros();
  const Verdict verdict = observer_->on_event(event);
  pause_ |= verdict == Verdict::Pause;
  if (verdict == Verdict::Cancel) cancelled_ = true;
}

void EventSource::on_begin() {
  Event event = made(EventKind::RunStart);
  const auto program = session_->run().program();
  if (program != nullptr) event.name = program->source_name;
  form_line_ = form_column_ = suspensions_ = 0;
  send(event);
}

void EventSource::on_step(ptc::SessionStep step) {
  if (step == ptc::SessionStep::Over) return over();
  if (run_state_of(*session_) != RunState::Suspended) return;
  const std::uint32_t now = session_->run().suspensions();
  if (is_suspended_ && now == suspensions_) return;   // it was asked, and nothing had come
  suspensions_ = now;
  send(made(EventKind::Suspend));
  is_suspended_ = true;
}

void EventSource::form() {
  const ptc::SourceSpan at = session_->position();
  if (at.line == 0 || (at.line == form_line_ && at.column == form_column_)) return;
  form_line_ = at.line;
  form_column_ = at.column;
  Event event = made(EventKind::Form);
  event.line = at.line;
  event.column = at.column;
  event.fuel = session_->run().fuel_used();
  send(event);
}

void EventSource::over() {
  for (const std::string& warning : session_->warnings()) {
    Event event = made(EventKind::Warning);
    event.text = warning;
    send(event);
  }
  const bool is_fault = session_->status() == ptc::OutcomeStatus::Error;
  if (is_fault) {
    const ptc::OutcomeFault& fault = session_->fault();
    const bool is_limit = ptc::fault_info(fault.kind).phase == ptc::FaultPhase::Limit;
    Event event = made(is_limit ? EventKind::Limit : EventKind::Fault);
    event.name = ptc::fault_name(fault.kind);
    event.text = fault.message;
    event.line = fault.span.line;
    event.column = fault.span.column;
    send(event);
  }
  Event event = made(EventKind::RunEnd);
  event.status = run_state_name(run_state_of(*session_));
  if (!is_fault) event.value = ValueAccess::view(session_->result(), session_->heap());
  event.micros = session_->run().active_micros();
  event.fuel = session_->run().fuel_used();
  event.bytes = session_->heap().bytes_peak();
  send(event);
}

void EventSource::on_print(std::string_view text) {
  Event event = made(EventKind::Print);
  event.text = text;
  send(event);
}

Event EventSource::call_event(EventKind kind, const ptc::ToolNotice& notice) {
  Event event = made(kind);
  number_ = "c" + std::to_string(notice.request.id);
  event.id = number_;
  event.name = notice.request.tool;
  event.task = notice.request.task_id;
  event.line = notice.request.span.line;
  event.column = notice.request.span.column;
  event.args = ValueAccess::view(notice.request.args, session_->heap());
  event.error = notice.error;
  event.operation = notice.operation;
  event.cached = notice.cached;
  event.micros = notice.micros;
  if (!notice.result.is_absent()) event.value = ValueAccess::view(notice.result, session_->heap());
  return event;
}

void EventSource::on_tool_start(const ptc::ToolNotice& notice) { send(call_event(EventKind::ToolStart, notice)); }
void EventSource::on_tool_end(const ptc::ToolNotice& notice) { send(call_event(EventKind::ToolEnd, notice)); }

void EventSource::on_retry(const ptc::ToolNotice& notice, std::uint64_t attempt, std::int64_t pause_ms) {
  Event event = call_event(EventKind::Retry, notice);
  event.attempt = static_cast<std::uint32_t>(attempt);
  event.micros = static_cast<std::uint64_t>(pause_ms) * 1'000;
  send(event);
}

void EventSource::on_commit_value(std::string_view id, ptc::Value borrowed) {
  Event event = made(EventKind::Commit);
  event.task = id;
  event.value = ValueAccess::view(borrowed, session_->heap());
  send(event);
}

void EventSource::on_summary(const ptc::StepSummary& step) {
  Event event = made(EventKind::Progress);
  event.name = step.id;
  event.text = step.summary;
  send(event);
}

void EventSource::on_approval(std::string_view key, const ptc::Approval& approval) {
  Event event = made(EventKind::Ask);
  event.id = key;
  event.name = approval.tool;
  event.text = approval.text;
  event.status = ptc::approval_state_name(approval.state);
  send(event);
}

void EventSource::on_reset(std::string_view id, std::string_view reason) {
  Event event = made(EventKind::Reset);
  event.task = id;
  event.text = reason;
  send(event);
}

Event EventSource::operation_event(EventKind kind, const ptc::Operation& operation) const {
  Event event = made(kind);
  event.operation = operation.id;
  event.name = operation.tool;
  event.task = operation.task_id;
  event.args = ValueAccess::view(operation.args, session_->heap());
  return event;
}

void EventSource::on_open(const ptc::Operation& operation) { send(operation_event(EventKind::Open, operation)); }

void EventSource::on_resolve(const ptc::Operation& operation) {
  const bool waits = operation.status == ptc::Operation::Status::Waiting;
  Event event = operation_event(waits ? EventKind::Progress : EventKind::Resolve, operation);
  event.status = ptc::operation_status_name(operation.status);
  event.error = operation.reason;
  const ptc::Value& value = waits ? operation.arrived_immediate : operation.result;
  if (!value.is_absent()) event.value = ValueAccess::view(value, session_->heap());
  send(event);
}

}  // namespace ptcvm
