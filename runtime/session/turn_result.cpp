#include "runtime/session/turn_result.h"

#include <utility>

#include "runtime/text/result_rounding.h"
#include "vm/value/account.h"
#include "vm/value/pending.h"

namespace ptc {
namespace {

OutcomeFault fault_of(const RunFault& fault) {
  OutcomeFault out{fault.kind, fault.message, fault.hint, fault.span, {}, {}, false};
  if (fault.program != nullptr) {
    out.source_name = fault.program->source_name;
    out.source = fault.program->source;
  }
  return out;
}

OutcomeFault result_too_large() {
  return plain_fault(FaultKind::MemoryExceeded, "the result is too large to be written out",
                     "return a part of it, or its count");
}

}  // namespace

OutcomeFault plain_fault(FaultKind kind, std::string message, std::string hint) {
  return {kind, std::move(message), std::move(hint), {}, {}, {}, false};
}

TurnResult::TurnResult(Run& run, const SessionOptions& options, const Definitions& definitions, TurnInputs& inputs,
                       TurnClock& clock)
    : run_(run), options_(options), definitions_(definitions), inputs_(inputs), clock_(clock) {
  if (options.signature.empty()) return;
  auto parsed = parse_signature(options.signature);
  if (auto* signature = std::get_if<Signature>(&parsed)) {
    signature_ = std::move(*signature);
  } else {
    const SignatureError& error = std::get<SignatureError>(parsed);
    signature_error_ = "signature: " + error.message + " at column " + std::to_string(error.column);
  }
}

void TurnResult::begin_turn() { forget(); }

void TurnResult::forget() {
  run_.heap().release(value_);
  value_ = Value::nil();
}

void TurnResult::fail(OutcomeFault fault) {
  status_ = OutcomeStatus::Error;
  fault_ = std::move(fault);
}

void TurnResult::conclude(StepStatus status) {
  if (status == StepStatus::Faulted) return fail(fault_of(run_.fault()));
  status_ = status == StepStatus::Completed  ? OutcomeStatus::Ok
            : status == StepStatus::Returned ? OutcomeStatus::Return
                                             : OutcomeStatus::Fail;
  std::optional<OutcomeFault> fault;
  switch (account::within([&] { fault = objection(); })) {   // the objections own no values
    case account::Ending::Done: break;
    case account::Ending::Stopped: fault = stopped(); break;
    case account::Ending::NoMemory: fault = result_too_large(); break;
  }
  if (fault) return refuse(std::move(*fault));
  value_ = retained(run_.result());
  if (status_ != OutcomeStatus::Fail) inputs_.add_result(value_);
  if (options_.float_precision) value_ = round_result(run_.heap(), value_, *options_.float_precision);
}

void TurnResult::refuse(OutcomeFault fault) {
  run_.revert();
  fail(std::move(fault));
}

OutcomeFault TurnResult::stopped() const {
  TurnStop stop = clock_.reason_to_stop();
  return plain_fault(stop.kind, std::move(stop.message));
}

// Returns why the result of the run does not count, or nullopt when it does.
std::optional<OutcomeFault> TurnResult::objection() const {
  if (!definitions_.can_be_written()) {
    return plain_fault(FaultKind::MemoryLimitExceeded, "the definitions are too large to be written out",
                       "define a part of the data, or a summary");
  }
  if (!can_be_written(run_.heap(), run_.result())) return result_too_large();
  return signature_ && status_ != OutcomeStatus::Fail ? mismatch() : std::nullopt;
}

std::optional<OutcomeFault> TurnResult::mismatch() const {
  std::string path;
  if (const Value handle = find_pending(run_.heap(), run_.result(), path); !handle.is_absent()) {
    return plain_fault(FaultKind::PendingInReturn, "the result" + (path.empty() ? path : " at " + path) +
                                                       " is a pending operation (" +
                                                       std::string(pending_id_of(handle)) + "); await it first");
  }
  const auto mismatches = check_type(run_.heap(), signature_->result, run_.result(), "return");
  if (mismatches.empty()) return std::nullopt;
  return plain_fault(FaultKind::ValidationError, mismatch_text(mismatches),
                     "the result must match " + render_type(signature_->result));
}

void TurnResult::write_to(Outcome& outcome) {
  if (!write(edn_within, outcome.value_edn)) outcome.fault = fault_;
  outcome.status = status_;
}

bool TurnResult::write(BoundedWriter writer, std::string& text) {
  if (status_ == OutcomeStatus::Error) return false;
  auto fault = objection_to_text(writer, text);
  if (fault) refuse(std::move(*fault));
  return status_ != OutcomeStatus::Error;
}

// Returns why the text cannot be had, or nullopt and the text.
std::optional<OutcomeFault> TurnResult::objection_to_text(BoundedWriter writer, std::string& text) {
  clock_.begin_step();
  const StepWatch watch(run_, clock_);
  BoundedText written = writer(run_.heap(), value_);
  clock_.end_step();
  switch (written.end) {
    case BoundedText::End::Whole: text = std::move(written.text); return std::nullopt;
    case BoundedText::End::TooLarge: return result_too_large();
    case BoundedText::End::Stopped: break;
  }
  return stopped();
}

}  // namespace ptc
