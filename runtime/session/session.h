// A session is one run (vm/exec/run.h) with the host's side: inputs as text, tools, clock, deadline, cancelling,
// records, rounding and the signature of the result. A session can take several turns. Definitions, journal, cached
// answers of tools and the last three results carry over from turn to turn.
//
// Each of these is an object with its own state. The session owns them, drives the run, and passes between them what
// one of them leaves for another.
//
// One thread at a time uses a session. The engine must outlive the session.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/read/finding.h"
#include "runtime/calls/tools.h"
#include "runtime/engine/engine.h"
#include "runtime/session/call_desk.h"
#include "runtime/session/definitions.h"
#include "runtime/session/edn_values.h"
#include "runtime/session/gate.h"
#include "runtime/session/host_edge.h"
#include "runtime/session/outbox.h"
#include "runtime/session/outcome.h"
#include "runtime/session/session_journal.h"
#include "runtime/session/session_operations.h"
#include "runtime/session/session_options.h"
#include "runtime/session/session_snapshot.h"
#include "runtime/session/turn_clock.h"
#include "runtime/session/turn_inputs.h"
#include "runtime/session/turn_records.h"
#include "runtime/session/turn_result.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

class Session {
 public:
  Session(const Engine& engine, SessionOptions options);
  // Makes a session of a run that was restored and whose tools are known to fit.
  Session(const Engine& engine, Restored restored, std::shared_ptr<const ToolRegistry> tools,
          const SessionRestore& wanted);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The parts of the session, which live as long as it does.
  EdnValues& edn() { return edn_; }
  Definitions& definitions() { return definitions_; }
  TurnInputs& inputs() { return inputs_; }
  SessionJournal& journal() { return journal_; }
  CallDesk& calls() { return calls_; }
  const CallDesk& calls() const { return calls_; }
  ToolRegistry& tools() { return calls_.own_tools(); }
  Gate& gate() { return gate_; }
  const Gate& gate() const { return gate_; }
  SessionOperations& operations() { return operations_; }
  HostEdge& edge() { return edge_; }
  const HostEdge& edge() const { return edge_; }
  TurnClock& clock() { return clock_; }
  const TurnClock& clock() const { return clock_; }
  const TurnRecords& records() const { return records_; }
  const Run& run() const { return run_; }
  Heap& heap() { return run_.heap(); }
  const SessionOptions& options() const { return options_; }

  void set_reader(OutboxReader* reader);          // not owned; may be null
  // Tells the reader what answers have recorded since the last step. A session that is restored tells only what comes
  // after its snapshot, so call this before a snapshot between two steps.
  void tell_reader() { records_.tell_reader(); }
  // Sets a hook that is called between the steps of a turn, where it may take a snapshot and restart from it. A message
  // ends the turn with the fault snapshot_invalid.
  void set_step_hook(std::function<std::optional<std::string>(Session&)> hook) { step_hook_ = std::move(hook); }
  bool has_step_hook() const { return step_hook_ != nullptr; }

  CompileAnswer compile(std::string_view source);
  ProgramFindings check(std::string_view source) const;      // compiles nothing: says what is wrong
  Outcome refused(CompileAnswer answer, std::string_view source) const;   // what turn() returns for such a source
  bool signature_error() const { return !result_.signature_error().empty(); }   // every turn fails with parse_error

  // Runs a turn until it is over or suspended.
  Outcome turn(std::string_view source);
  Outcome turn(std::shared_ptr<const Program> program);
  // Resumes a suspended turn with the resolutions so far, and with `now` as the time when it is given. When nothing
  // that the turn waits for has come, the turn is suspended again and nothing was executed.
  Outcome resume(std::optional<std::int64_t> now_millis = std::nullopt);
  // Resolves, then resumes. Refused resolutions change nothing and give an error outcome; the turn stays suspended.
  Outcome resume(std::vector<Resolution> taken, std::optional<std::int64_t> now_millis = std::nullopt);

  // Runs a turn in steps, for hosts that own the loop: call begin(), then step() until the turn is over. Makes no texts
  // unless outcome() is called. Returns false when the signature of the result cannot be read; outcome() says so.
  bool begin(std::shared_ptr<const Program> program);
  SessionStep step(std::uint64_t fuel);
  SessionStep last_step() const { return last_step_; }
  // From now on a step goes on with the branches whose calls are answered, while calls of others are open. Else nothing
  // runs before all of them are answered.
  void let_branches_go_on() { branches_go_on_ = true; }
  // Returns whether the last step paused before or after it served calls (SessionOptions::pauses_at_calls).
  bool is_at_calls() const { return pause_ == CallPause::Before || pause_ == CallPause::After; }
  OutcomeStatus status() const;
  const OutcomeFault& fault() const { return result_.fault(); }   // valid when the turn is over with Error
  Value result() const { return result_.value(); }   // the result of the last turn that ended well; borrowed
  Outcome outcome(CallTexts texts = CallTexts::Yes);  // returns the outcome of the turn so far
  // Returns the outcome of turn() or resume() that suspended the turn.
  Outcome suspended_outcome(CallTexts texts = CallTexts::Yes);
  // Writes the result of a turn that is over, within the memory and the time of the turn. Returns false when there is
  // no result, or when its text does not fit: then the turn has failed (fault()).
  bool write_result(BoundedWriter writer, std::string& text) { return result_.write(writer, text); }
  // From now on results go into a log: their text must have room in the memory of the run twice.
  void log_results() { result_.go_to_log(); }
  // Counts turns from there: the next one has the number `turns` + 1. Between turns.
  void begin_turns_after(std::uint64_t turns) { run_.set_identity(run_.run_id(), turns); }

  // Returns the session between two steps of a turn, or between turns, as bytes (schema/snapshot.fbs).
  std::vector<std::uint8_t> snapshot(const SnapshotOptions& options = {}) const;
  void write_snapshot(const SnapshotOptions& options, SnapshotMemory& out) const;   // to a memory that is empty
  // Returns what writes the same bytes in pieces, or null when the session is small. The session must stay as it is,
  // and outlive the object.
  std::unique_ptr<SnapshotPieces> large_snapshot(const SnapshotOptions& options = {}) const;
  // Returns the snapshot for people (docs/snapshots.md): lossless and canonical, too. restore() reads both faces.
  std::string snapshot_json(const SnapshotOptions& options = {}) const;
  // Makes a session that goes on from a snapshot. When the run is suspended, call resume(). The tools are the tools of
  // this host. A missing tool, or a tool with another signature, effect or mode, is refused with a report of all such
  // tools.
  static std::variant<std::unique_ptr<Session>, RestoreError> restore(const Engine& engine,
                                                                      std::span<const std::uint8_t> bytes,
                                                                      std::shared_ptr<const ToolRegistry> tools,
                                                                      const SessionRestore& wanted = {});
  static std::variant<std::unique_ptr<Session>, RestoreError> restore(const Engine& engine,
                                                                      std::span<const std::uint8_t> bytes,
                                                                      ToolRegistry tools,
                                                                      const SessionRestore& wanted = {}) {
    return restore(engine, bytes, std::make_shared<const ToolRegistry>(std::move(tools)), wanted);
  }
  // Restores in place; tools, options and observer stay.
  [[nodiscard]] std::optional<RestoreError> restart_from(std::span<const std::uint8_t> bytes);

 private:
  template <class Use>
  auto with_request(std::string_view source, Use use) const;

  enum class CallPause : std::uint8_t { None, Before, After, Unknown };   // Unknown: a snapshot does not say

  Outcome drive();
  SessionStep advance(std::uint64_t fuel);
  SessionStep serve_calls(bool has_paused);
  bool visit_step_hook();
  void take_over(HostState host);
  void forget_values();

  const Engine& engine_;
  const SessionOptions options_;
  Run run_;
  Outbox outbox_;
  TurnClock clock_{run_, options_};
  HostEdge edge_{run_, clock_};
  Gate gate_{run_, outbox_};
  CallDesk calls_{run_, outbox_, gate_, clock_};
  EdnValues edn_{engine_, run_};
  Definitions definitions_{run_, edn_};
  TurnInputs inputs_{run_, edn_};
  SessionJournal journal_{run_, edn_};
  SessionOperations operations_{run_, outbox_, calls_, options_};
  TurnRecords records_{run_, outbox_};
  TurnResult result_{run_, options_, definitions_, inputs_, clock_};
  SessionSnapshot snapshot_{run_, options_, calls_, gate_};
  std::function<std::optional<std::string>(Session&)> step_hook_;
  SessionStep last_step_ = SessionStep::Over;
  bool branches_go_on_ = false;
  CallPause pause_ = CallPause::None;                // where the last step paused
};

}  // namespace ptc
