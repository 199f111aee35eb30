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
  is_suspended_ = session.run().in_turn() && run_state_of(session) == RunState::Suspended;
  suspensions_ = session.run().suspensions();
}

Event EventSource::made(EventKind kind) const {
  Event event;
  event.kind = kind;
  event.run_id = session_->run().run_id();
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

void EventSource::read(ptc::OutboxItem item) {
  using Kind = ptc::OutboxItem::Kind;
  switch (item.kind) {
    case Kind::Began: return begin(item);
    case Kind::Stepped:
      stepped(item.step);
      if (observer_ != nullptr) observer_->on_step_end();
      return;
    case Kind::Called: return send(call_event(EventKind::ToolStart, item));
    case Kind::Answered: return send(call_event(EventKind::ToolEnd, item));
    case Kind::Retried: return send(call_event(EventKind::Retry, item));
    case Kind::Printed: return send(named_event(EventKind::Print, item));
    case Kind::Committed: return send(named_event(EventKind::Commit, item));
    case Kind::Reset: return send(named_event(EventKind::Reset, item));
    case Kind::StepDone: return send(named_event(EventKind::Progress, item));
    case Kind::Judged: return send(named_event(EventKind::Ask, item));
    case Kind::Opened:
    case Kind::Resolved: return send(operation_event(item));
  }
}

void EventSource::begin(const ptc::OutboxItem& item) {
  Event event = made(EventKind::RunStart);
  event.name = item.name;
  form_line_ = form_column_ = suspensions_ = 0;
  send(event);
}

void EventSource::stepped(ptc::SessionStep step) {
  if (step == ptc::SessionStep::Over) return over();
  if (run_state_of(*session_) != RunState::Suspended) return;
  const std::uint32_t now = session_->run().suspensions();
  if (is_suspended_ && now == suspensions_) return;   // it was asked, and nothing had come
  suspensions_ = now;
  send(made(EventKind::Suspend));
  is_suspended_ = true;
}

void EventSource::form() {
  const ptc::SourceSpan at = session_->run().position();
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
  for (const std::string& warning : session_->records().warnings()) {
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
    const std::string stack = ptc::call_line(fault.stack);
    event.stack = stack;
    event.found = fault.found;
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

Event EventSource::call_event(EventKind kind, const ptc::OutboxItem& item) {
  Event event = made(kind);
  number_ = "c" + std::to_string(item.call);
  event.id = number_;
  event.name = item.name;
  event.task = item.task;
  event.path = item.path;
  event.line = item.span.line;
  event.column = item.span.column;
  event.args = ValueAccess::view(item.args.get(), session_->heap());
  event.error = item.error;
  event.operation = item.operation;
  event.cached = item.cached;
  event.micros = item.micros;
  if (kind == EventKind::Retry) {
    event.attempt = static_cast<std::uint32_t>(item.attempt);
    event.micros = static_cast<std::uint64_t>(item.pause_ms) * 1'000;
  }
  if (item.value) event.value = ValueAccess::view(item.value.get(), session_->heap());
  return event;
}

// Makes an event about a print, a task, a step of the plan, or a judged call.
Event EventSource::named_event(EventKind kind, const ptc::OutboxItem& item) const {
  Event event = made(kind);
  event.text = item.text;
  if (kind == EventKind::Commit || kind == EventKind::Reset) event.task = item.id;
  if (kind == EventKind::Progress) event.name = item.id;
  if (kind == EventKind::Ask) {
    event.id = item.id;
    event.name = item.name;
    event.status = item.status;
  }
  if (item.value) event.value = ValueAccess::view(item.value.get(), session_->heap());
  return event;
}

Event EventSource::operation_event(const ptc::OutboxItem& item) const {
  const bool is_opened = item.kind == ptc::OutboxItem::Kind::Opened;
  Event event = made(is_opened ? EventKind::Open : item.waits ? EventKind::Progress : EventKind::Resolve);
  event.operation = item.id;
  event.name = item.name;
  event.task = item.task;
  event.args = ValueAccess::view(item.args.get(), session_->heap());
  if (is_opened) {
    event.path = item.path;
    return event;
  }
  event.status = item.status;
  event.error = item.error;
  if (item.value) event.value = ValueAccess::view(item.value.get(), session_->heap());
  return event;
}

}  // namespace ptcvm
