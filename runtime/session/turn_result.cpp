#include "runtime/session/turn_result.h"

#include <utility>

#include "runtime/text/counted_bytes.h"
#include "runtime/text/result_rounding.h"
#include "runtime/text/written_size.h"
#include "vm/value/account.h"
#include "vm/value/pending.h"
#include "vm/value/text_pieces.h"

namespace ptc {
namespace {

OutcomeFault fault_of(const RunFault& fault) {
  OutcomeFault out{fault.kind, fault.message, fault.hint, fault.span, {}, {}, false, fault.found};
  if (fault.program != nullptr) {
    out.source_name = fault.program->source_name;
    out.source = fault.program->source;
  }
  for (const GuestFrame& frame : fault.stack) {
    out.stack.push_back({guest_frame_kind_name(frame.kind), frame.name, frame.source_name, frame.span.line,
                         frame.span.column});
  }
  return out;
}

OutcomeFault result_too_large() {
  return plain_fault(FaultKind::MemoryExceeded, "the result is too large to be written out",
                     "return a part of it, or its count");
}

// Writing a result is work, too. This many parts of a result are free, and each further part takes a unit of fuel.
constexpr std::uint64_t kFreeResultParts = 4096;

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
  least_edn_bytes_ = 0;
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

// Charges what writing the result takes. Returns a fault when the result is longer than any text may be, or takes more
// fuel than is left. A text that fits into no memory is no fault here, because its host may want the value only.
std::optional<OutcomeFault> TurnResult::too_large() {
  const std::uint64_t most_fuel = run_.limits().fuel, left = most_fuel - run_.fuel_used();
  const std::uint64_t paid_for = left < kMaxWrittenSize ? kFreeResultParts + left : kMaxWrittenSize;
  const WrittenSize size =
      measure_written(run_.result(), std::min<std::uint64_t>(paid_for + 1, kMaxWrittenSize));
  least_edn_bytes_ = size.least_bytes;
  const std::uint64_t parts = size.parts + size.digits;
  const bool is_paid = parts <= kFreeResultParts || run_.charge_fuel(parts - kFreeResultParts);
  if (size.parts >= kMaxWrittenSize) return result_too_large();
  if (is_paid || size.least_bytes > room_of(run_.heap())) return std::nullopt;
  return plain_fault(FaultKind::FuelExceeded,
                     "fuel limit of " + std::to_string(most_fuel) + " exceeded by writing the result",
                     "return a part of it, or its count");
}

// Returns why the result of the run does not count, or nullopt when it does.
std::optional<OutcomeFault> TurnResult::objection() {
  if (!definitions_.can_be_written()) {
    return plain_fault(FaultKind::MemoryLimitExceeded, "the definitions are too large to be written out",
                       "define a part of the data, or a summary");
  }
  if (auto fault = too_large()) return fault;
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
  OutcomeFault fault = plain_fault(FaultKind::ValidationError, mismatch_text(mismatches),
                                   "the result must match " + render_type(signature_->result));
  fault.found = mismatches.front().found;
  return fault;
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

// Returns whether a text of that many bytes has room in the memory that is left. A text of less than two pieces is
// always tried.
bool TurnResult::has_room(std::uint64_t text_bytes) const {
  constexpr std::uint64_t kAlwaysTried = 2 * TextPieces::kPieceBytes;
  return text_bytes <= kAlwaysTried || run_.heap().can_allocate(copies_ * text_bytes - kAlwaysTried);
}

// Returns whether the text is longer than the memory that is left, so that nobody writes it until the memory is full.
// JSON does not write what closures hold, so its text may be shorter.
bool TurnResult::is_hopeless(BoundedWriter writer) const {
  return writer == edn_within && !has_room(least_edn_bytes_);
}

// Returns why the text cannot be had, or nullopt and the text.
std::optional<OutcomeFault> TurnResult::objection_to_text(BoundedWriter writer, std::string& text) {
  clock_.begin_step();
  const StepWatch watch(run_, clock_);
  BoundedText written = is_hopeless(writer) ? BoundedText{BoundedText::End::TooLarge, {}} : writer(run_.heap(), value_);
  clock_.end_step();
  switch (written.end) {
    case BoundedText::End::Whole:
      if (copies_ > 1 && !has_room(written.text.size())) return result_too_large();
      text = std::move(written.text);
      return std::nullopt;
    case BoundedText::End::TooLarge: return result_too_large();
    case BoundedText::End::Stopped: break;
  }
  return stopped();
}

}  // namespace ptc
