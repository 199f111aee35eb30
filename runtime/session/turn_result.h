// How a turn ended: its status with the result or the fault. A result counts only if it can be written out and fits the
// signature; otherwise the turn ends with a fault, and the definitions become what they were before the turn.
#pragma once
#include <optional>
#include <string>

#include "runtime/session/definitions.h"
#include "runtime/session/outcome.h"
#include "runtime/session/session_options.h"
#include "runtime/session/turn_clock.h"
#include "runtime/session/turn_inputs.h"
#include "runtime/signature/signature.h"
#include "runtime/text/bounded_text.h"
#include "vm/exec/run.h"

namespace ptc {

// Returns a fault without a place in the program.
OutcomeFault plain_fault(FaultKind kind, std::string message, std::string hint = {});

class TurnResult {
 public:
  // All of them must outlive the result. `inputs` gets each good result for the history.
  TurnResult(Run& run, const SessionOptions& options, const Definitions& definitions, TurnInputs& inputs,
             TurnClock& clock);
  ~TurnResult() { forget(); }
  TurnResult(const TurnResult&) = delete;
  TurnResult& operator=(const TurnResult&) = delete;

  // Returns why the signature of the result cannot be read, or "". Such a signature makes every turn fail.
  const std::string& signature_error() const { return signature_error_; }

  // From now on the text of a result goes into a log, and must have room in the memory of the run twice: it is there,
  // and in the record of the log.
  void go_to_log() { copies_ = 2; }
  void begin_turn();                                   // forgets the result of the turn before
  void conclude(StepStatus status);                    // the run is over with that status
  void fail(OutcomeFault fault);                       // the turn is over, whatever the run says

  OutcomeStatus status() const { return status_; }     // when the turn is over
  const OutcomeFault& fault() const { return fault_; } // when the status is Error
  Value value() const { return value_; }               // the value of the last turn that ended well; borrowed
  // Adds the fault, or the value as text. A value whose text does not fit into the memory or the time of the turn makes
  // the turn fail.
  void write_to(Outcome& outcome);
  // Writes the value of a turn that is over. Returns false when there is no value, or when the turn fails as above.
  bool write(BoundedWriter writer, std::string& text);
  void forget();                                       // gives back every value of the heap of the run

 private:
  void refuse(OutcomeFault fault);
  OutcomeFault stopped() const;
  bool has_room(std::uint64_t text_bytes) const;
  bool is_hopeless(BoundedWriter writer) const;
  std::optional<OutcomeFault> objection_to_text(BoundedWriter writer, std::string& text);
  std::optional<OutcomeFault> objection();
  std::optional<OutcomeFault> too_large();
  std::optional<OutcomeFault> mismatch() const;

  Run& run_;
  const SessionOptions& options_;
  const Definitions& definitions_;
  TurnInputs& inputs_;
  TurnClock& clock_;
  std::optional<Signature> signature_;
  std::string signature_error_;
  OutcomeStatus status_ = OutcomeStatus::Error;
  OutcomeFault fault_;
  Value value_ = Value::nil();                         // owned
  std::uint64_t copies_ = 1;                           // counts the copies of the text in memory
  std::uint64_t least_edn_bytes_ = 0;                  // the EDN text of value_ has no fewer
};

}  // namespace ptc
