// Driving a turn: begin, step in slices, serve what the run asks for, and what the turn came to.
#include "runtime/session/record_texts.h"
#include "runtime/text/result_rounding.h"
#include "runtime/session/session.h"
#include "vm/value/pending.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

OutcomeFault fault_of(const RunFault& fault) {
  OutcomeFault out{fault.kind, fault.message, fault.hint, fault.span, {}, {}, false};
  if (fault.program != nullptr) {
    out.source_name = fault.program->source_name;
    out.source = fault.program->source;
  }
  return out;
}

OutcomeFault plain_fault(FaultKind kind, std::string message, std::string hint = {}) {
  return {kind, std::move(message), std::move(hint), {}, {}, {}, false};
}

Outcome refused_outcome(FaultKind kind, std::string message) {
  Outcome outcome;
  outcome.fault = plain_fault(kind, std::move(message));
  return outcome;
}

}  // namespace

Outcome Session::turn(std::string_view source) {
  const auto start = Clock::now();
  if (!signature_error_.empty()) return refused_outcome(FaultKind::ParseError, signature_error_);
  CompileAnswer compiled = compile(source);
  Outcome outcome =
      compiled.program == nullptr ? refused(std::move(compiled), source) : turn(std::move(compiled.program));
  outcome.micros = micros_since(start);
  return outcome;
}

Outcome Session::refused(CompileAnswer answer, std::string_view source) const {
  Outcome outcome;
  outcome.fault = {answer.error.kind, std::move(answer.error.message), std::move(answer.error.hint), answer.error.span,
                   options_.source_name, std::string(source), answer.incomplete};
  return outcome;
}

Outcome Session::turn(std::shared_ptr<const Program> program) {
  if (!begin(std::move(program))) return refused_outcome(FaultKind::ParseError, signature_error_);
  return drive();
}

bool Session::begin(std::shared_ptr<const Program> program) {
  if (!signature_error_.empty()) {
    fault_ = plain_fault(FaultKind::ParseError, signature_error_);
    status_ = OutcomeStatus::Error;
    last_step_ = SessionStep::Over;
    return false;
  }
  heap().release(result_);
  result_ = Value::nil();
  seen_prints_ = seen_summaries_ = 0;
  clock_.set_given_time(std::nullopt);
  calls_.begin_turn();
  if (!context_.is_nil()) run_.set_context(retained(context_));
  std::vector<Value> history;
  for (const Value v : history_) history.push_back(retained(v));
  run_.set_history(std::move(history));
  run_.start(std::move(program));
  last_step_ = SessionStep::Yielded;
  const auto begun = run_.program();
  outbox_.began(begun == nullptr ? std::string_view() : std::string_view(begun->source_name));
  return true;
}

SessionStep Session::step(std::uint64_t fuel) {
  clock_.begin_step();
  if (!run_.in_turn()) return last_step_ = SessionStep::Over;
  last_step_ = advance(fuel);
  clock_.end_step();
  outbox_.stepped(last_step_);
  return last_step_;
}

SessionStep Session::advance(std::uint64_t fuel) {
  const bool is_stopped = clock_.stop_if_over();
  if (!is_stopped && last_step_ == SessionStep::Waits) {   // nothing runs before all of them are answered
    calls_.serve();
    if (!run_.tool_requests().empty()) return SessionStep::Waits;
  }
  last_step_ = SessionStep::Yielded;
  const StepWatch watch(run_, clock_);
  for (;;) {
    clock_.tell_program();
    const StepStatus status = run_.step(fuel);
    report_progress();
    switch (status) {
      case StepStatus::Yielded:
        return visit_step_hook() ? SessionStep::Yielded : SessionStep::Over;
      case StepStatus::NeedsTool: {
        if (!visit_step_hook()) return SessionStep::Over;
        calls_.serve();
        // Asked before the hook: a call that failed is among the requests again when the run is put together anew.
        const bool waits = !run_.tool_requests().empty();
        if (!visit_step_hook()) return SessionStep::Over;
        return waits ? SessionStep::Waits : SessionStep::Yielded;
      }
      case StepStatus::Suspended:
        if (auto complaint = snapshot_too_large()) {
          run_.cancel(FaultKind::SnapshotTooLarge, std::move(*complaint));
          continue;
        }
        return visit_step_hook() ? SessionStep::Suspended : SessionStep::Over;
      default:
        conclude(status);
        return SessionStep::Over;
    }
  }
}

Outcome Session::drive() {
  const auto start = Clock::now();
  for (;;) {
    const SessionStep came_to = step(options_.slice_fuel);
    if (came_to == SessionStep::Waits && calls_.retries().are_all_requests()) {
      clock_.wait_until(*calls_.retries().next_due());
    } else if (came_to != SessionStep::Yielded) {
      break;
    }
  }
  Outcome out = outcome();
  out.micros = micros_since(start);
  return out;
}

bool Session::visit_step_hook() {
  if (!step_hook_) return true;
  auto complaint = step_hook_(*this);
  if (!complaint) return true;
  status_ = OutcomeStatus::Error;
  fault_ = plain_fault(FaultKind::SnapshotInvalid, std::move(*complaint));
  return false;
}

Outcome Session::suspended_outcome() {
  if (last_step_ == SessionStep::Over || last_step_ == SessionStep::Yielded) last_step_ = SessionStep::Suspended;
  return outcome();
}

Outcome Session::resume(std::optional<std::int64_t> now_millis) {
  if (!run_.in_turn()) return refused_outcome(FaultKind::BadRequest, "no turn is suspended");
  clock_.set_given_time(now_millis);
  return drive();
}

Outcome Session::resume(std::vector<Resolution> taken, std::optional<std::int64_t> now_millis) {
  if (auto refusal = resolve(std::move(taken))) {
    Outcome refused = refused_outcome(refusal->kind, std::move(refusal->message));
    collect_pending(refused);
    return refused;
  }
  return resume(now_millis);
}

void Session::conclude(StepStatus status) {
  if (status == StepStatus::Faulted) {
    status_ = OutcomeStatus::Error;
    fault_ = fault_of(run_.fault());
    return;
  }
  status_ = status == StepStatus::Completed  ? OutcomeStatus::Ok
            : status == StepStatus::Returned ? OutcomeStatus::Return
                                             : OutcomeStatus::Fail;
  conclude_value();
}

void Session::refuse_result(OutcomeFault fault) {
  run_.revert();
  status_ = OutcomeStatus::Error;
  fault_ = std::move(fault);
}

void Session::conclude_value() {
  if (!definitions_fit()) {
    return refuse_result(plain_fault(FaultKind::MemoryLimitExceeded, "the definitions are too large to be written out",
                                     "define a part of the data, or a summary"));
  }
  if (!can_be_written(heap(), run_.result())) {
    return refuse_result(plain_fault(FaultKind::MemoryExceeded, "the result is too large to be written out",
                                     "return a part of it, or its count"));
  }
  if (signature_ && status_ != OutcomeStatus::Fail) {
    std::string path;
    if (const Value handle = find_pending(heap(), run_.result(), path); !handle.is_absent()) {
      return refuse_result(plain_fault(FaultKind::PendingInReturn,
                                       "the result" + (path.empty() ? path : " at " + path) +
                                           " is a pending operation (" + std::string(pending_id_of(handle)) +
                                           "); await it first"));
    }
    const auto mismatches = check_type(heap(), signature_->result, run_.result(), "return");
    if (!mismatches.empty()) {
      return refuse_result(plain_fault(FaultKind::ValidationError, mismatch_text(mismatches),
                                       "the result must match " + render_type(signature_->result)));
    }
  }
  result_ = retained(run_.result());
  if (status_ != OutcomeStatus::Fail) push_history(result_);
  if (options_.float_precision) result_ = round_result(heap(), result_, *options_.float_precision);
}

Outcome Session::outcome() {
  Outcome out;
  out.status = status();
  if (out.status == OutcomeStatus::Suspended) {
    out.next_deadline_ms = run_.next_deadline();
    out.calls = calls_.waiting();
  } else if (out.status == OutcomeStatus::Error) {
    out.fault = fault_;
  } else {
    append_edn(out.value_edn, result_, heap());
  }
  collect_records(out);
  collect_pending(out);
  return out;
}

}  // namespace ptc
