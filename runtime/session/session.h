// A session is one run (vm/exec/run.h) with the host's side: inputs as text, tools, clock, deadline, cancelling,
// records, rounding and the signature of the result. A session can take several turns. Definitions, journal, cached
// answers of tools and the last three results carry over from turn to turn.
//
// One thread at a time uses a session. The engine must outlive the session.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/session/call_desk.h"
#include "runtime/session/gate.h"
#include "runtime/session/outbox.h"
#include "runtime/session/outcome.h"
#include "runtime/session/session_options.h"
#include "runtime/session/turn_clock.h"
#include "runtime/signature/signature.h"
#include "runtime/calls/tools.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

// What a host says about an operation: value, error, cancel or progress. A value is in the heap of the session; the
// function that gets the resolution takes it.
struct Resolution {
  std::string operation;
  Settlement settlement;

  static Resolution ok(std::string operation, Value taken) {
    return {std::move(operation), {Settlement::Kind::Ok, taken, {}}};
  }
  static Resolution error(std::string operation, std::string reason) {
    return {std::move(operation), {Settlement::Kind::Error, Value::nil(), std::move(reason)}};
  }
  static Resolution cancel(std::string operation, std::string reason = {}) {
    return {std::move(operation), {Settlement::Kind::Cancelled, Value::nil(), std::move(reason)}};
  }
  static Resolution progress(std::string operation, Value taken_immediate) {
    return {std::move(operation), {Settlement::Kind::Progress, taken_immediate, {}}};
  }
};

// Says why resolutions were refused: already_resolved, unknown_operation, result_too_large, invalid_tool (not plain
// data).
struct ResolveRefusal {
  FaultKind kind{};
  std::string message;
};

class Session {
 public:
  Session(const Engine& engine, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The parts of the session, which live as long as it does.
  CallDesk& calls() { return calls_; }
  const CallDesk& calls() const { return calls_; }
  Gate& gate() { return gate_; }
  const Gate& gate() const { return gate_; }
  TurnClock& clock() { return clock_; }
  const TurnClock& clock() const { return clock_; }

  // Load inputs before the first turn. Each function returns a message when it refuses the text.
  std::optional<std::string> load_memory(std::string_view edn);
  std::optional<std::string> load_context(std::string_view edn);
  std::optional<std::string> load_journal(std::string_view edn);
  std::optional<std::string> load_history(std::string_view edn);    // a vector, oldest first
  std::optional<std::string> load_budget(std::string_view edn);
  // Loads one entry of the journal, also into a restored turn. Refuses ids that the journal has.
  std::optional<std::string> load_task(std::string_view id, std::string_view edn);
  bool has_task(std::string_view id);
  void forget_tasks_but(const std::function<bool(std::string_view id)>& keep);
  // Looks for tasks that the journal of the session does not have: EDN text without functions. A text that is not EDN
  // counts as nil, and `complain` is told. `returned` is explained in Journal::Found.
  struct TaskText {
    const std::string* edn = nullptr;   // null when there is no such task
    bool returned = false;
  };
  using TaskSource = std::function<TaskText(std::string_view id)>;
  void set_task_source(TaskSource source, std::function<void(std::string_view id)> complain);
  void set_reset_rule(std::function<bool(std::string_view id)> needs_reason);
  void set_context(Value taken_map);
  void enable_journal();

  ToolRegistry& tools() { return calls_.own_tools(); }
  bool signature_error() const { return !signature_error_.empty(); }   // true makes every turn fail with parse_error
  void set_reader(OutboxReader* reader);                                        // not owned; may be null

  Outcome turn(std::string_view source);
  Outcome turn(std::shared_ptr<const Program> program);

  // Runs a turn in steps, for hosts that own the loop: call begin(), then step() until the turn is over. Makes no texts
  // unless outcome() is called. Returns false when the signature of the result cannot be read; outcome() says so.
  bool begin(std::shared_ptr<const Program> program);
  SessionStep step(std::uint64_t fuel);
  SessionStep last_step() const { return last_step_; }
  OutcomeStatus status() const { return last_step_ == SessionStep::Over ? status_ : OutcomeStatus::Suspended; }
  const OutcomeFault& fault() const { return fault_; }      // valid when the turn is over with Error
  Outcome outcome();                                        // returns the outcome of the turn so far
  const Run& run() const { return run_; }
  const std::vector<std::string>& prints() { return run_.environment().prints; }
  std::vector<std::string> warnings();     // returns all warnings of the turn
  const std::vector<StepSummary>& summaries() { return run_.environment().summaries; }
  std::vector<std::string> take_cancel_requests() { return run_.take_cancel_requests(); }
  SourceSpan position() const { return run_.position(); }  // returns the place of the program; line 0 means no place

  // Counts turns from there: the next one has the number `turns` + 1. Between turns.
  void begin_turns_after(std::uint64_t turns) { run_.set_identity(run_.run_id(), turns); }

  // Resumes a suspended turn with the resolutions so far, and with `now` as the time when it is given. When nothing
  // that the turn waits for has come, the turn is suspended again and nothing was executed.
  Outcome resume(std::optional<std::int64_t> now_millis = std::nullopt);
  // Resolves, then resumes. Refused resolutions change nothing and give an error outcome; the turn stays suspended.
  Outcome resume(std::vector<Resolution> taken, std::optional<std::int64_t> now_millis = std::nullopt);
  bool in_turn() const { return run_.in_turn(); }          // returns whether a turn has begun and is not over
  Outcome suspended_outcome();   // returns the outcome of turn() or resume() that suspended the turn
  bool waits_for_tools() const { return !run_.tool_requests().empty(); }
  bool suspended() const { return run_.suspended(); }
  std::uint32_t suspensions() const { return run_.suspensions(); }   // counts the suspensions of this turn
  // Resolves operations at any time: all of them or, when one is refused, none.
  std::optional<ResolveRefusal> resolve(std::vector<Resolution> taken);
  // Converts results to the signatures of their tools. Returns the first refusal.
  std::optional<ResolveRefusal> fit(std::span<Resolution> resolutions);
  const Operations& operations() const { return run_.operations(); }
  const std::string& run_id() const { return run_.run_id(); }
  void set_clock(std::int64_t millis) { run_.set_clock(millis); }
  // Sets when an operation was created, if it was started before. Sleeps and lifetimes end accordingly.
  void set_operation_age(std::string_view operation, std::int64_t created_ms);
  // Returns the operations as a JSON list, for hosts that keep them without a snapshot. Load the list before the first
  // turn.
  std::string operations_json();
  std::string operation_json(const Operation& operation);   // one element of the list
  std::optional<std::string> load_operations(std::string_view json);

  // Returns the session between two steps of a turn, or between turns, as bytes (schema/snapshot.fbs).
  std::vector<std::uint8_t> snapshot(const SnapshotOptions& options = {}) const;
  // Makes a session that goes on from a snapshot. When suspended() says that a turn waits, call resume(). The tools are
  // the tools of this host. A missing tool, or a tool with another signature, effect or mode, is refused with a report
  // of all such tools.
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
  // Returns the snapshot for people (docs/snapshots.md): lossless and canonical, too. restore() reads both faces.
  std::string snapshot_json(const SnapshotOptions& options = {}) const;
  // Restores in place; tools, options and observer stay.
  [[nodiscard]] std::optional<RestoreError> restart_from(std::span<const std::uint8_t> bytes);
  // Sets a hook that is called between the steps of a turn, where it may take a snapshot and restart from it. A message
  // ends the turn with the fault snapshot_invalid.
  void set_step_hook(std::function<std::optional<std::string>(Session&)> hook) { step_hook_ = std::move(hook); }

  CompileAnswer compile(std::string_view source) const;
  Outcome refused(CompileAnswer answer, std::string_view source) const;   // what turn() returns for such a source

  Heap& heap() { return run_.heap(); }
  Value context() const { return context_; }     // borrowed
  Value result() const { return result_; }       // the result of the last turn that ended well; borrowed
  std::string memory_edn();                      // returns {:name value}
  std::optional<std::string> journal_edn();      // returns {"id" value}, or nullopt without a journal

  // Reads EDN text as a value in the heap of this session, owned by the caller. Function texts are compiled and may
  // mention `names` besides the definitions.
  std::optional<Value> read_value(std::string_view edn, std::span<const std::string_view> names, std::string& message);

 private:
  friend class ParkedSession;
  // Makes a session of a run that was read; the tools are known to fit.
  static std::unique_ptr<Session> made(const Engine& engine, Restored restored,
                                       std::shared_ptr<const ToolRegistry> tools, const SessionRestore& wanted);
  HostState host_state() const;
  void adopt(Restored restored);
  void forget_values();
  bool visit_step_hook();
  std::optional<std::string> snapshot_too_large();
  Outcome drive();
  SessionStep advance(std::uint64_t fuel);
  void report_progress();
  void conclude(StepStatus status);
  void conclude_value();
  void refuse_result(OutcomeFault fault);
  void collect_records(Outcome& outcome);
  void push_history(Value borrowed);
  bool definitions_fit();
  void collect_pending(Outcome& outcome);
  std::optional<ResolveRefusal> refuse(std::span<const Resolution> resolutions);
  std::vector<std::string_view> definition_names() const;
  Value make_function(std::string_view source, Value borrowed_captured, std::span<const std::string_view> names);
  std::optional<Value> read_map(std::string_view edn, std::string_view what, std::string& message);

  const Engine& engine_;
  SessionOptions options_;
  Run run_;
  Outbox outbox_;
  TurnClock clock_{run_, options_};
  Gate gate_{run_, outbox_};
  CallDesk calls_{run_, outbox_, gate_, clock_};
  std::function<std::optional<std::string>(Session&)> step_hook_;
  std::optional<Signature> signature_;
  std::string signature_error_;
  Value context_ = Value::nil();        // owned
  Value result_ = Value::nil();         // owned
  std::vector<Value> history_;          // owned, newest first, at most three

  // State of the current call of turn() or resume(). The run has what a suspended turn needs.
  std::size_t seen_prints_ = 0, seen_operations_ = 0, seen_summaries_ = 0;
  SessionStep last_step_ = SessionStep::Over;
  OutcomeStatus status_ = OutcomeStatus::Error;    // set when the turn is over
  OutcomeFault fault_;
};

}  // namespace ptc
