// A run is one program with its memory. The host steps the run. No function here blocks, sleeps or starts a thread.
// step() calls tools that have callables, and hands out everything else as data.
//
//   ptcvm::Engine engine;
//   auto program = engine.compile("(+ 1 2)");
//   auto run = ptcvm::Run::start(engine, *program);
//   if (run->step() == ptcvm::RunState::Completed) std::puts(run->result().to_edn().c_str());
//
// One thread at a time may use a run. The run may move to another thread between two calls. A moved-from run may only
// be destroyed or assigned to.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/engine.hpp"
#include "ptcvm/event.hpp"
#include "ptcvm/limits.hpp"
#include "ptcvm/tools.hpp"

namespace ptcvm {

class KeyRing;      // sealing.hpp
struct SealLabel;

// Says how a step ended.
enum class RunState : std::uint8_t {
  Completed,   // the program is over; result() is the value of the last form
  Returned,    // the program is over; result() is v of (return v)
  Failed,      // the program called (fail v), and result() is v; or it has a fault, and diagnostic() describes it
  Suspended,   // the run waits for operations (pending()) or decisions (questions()); snapshot() takes it elsewhere
  Yielded,     // the fuel of the step is used up, an observer paused, deferred calls wait (calls()), or the run pauses
               // at calls (RunOptions::pauses_at_calls): step() again
};
PTCVM_API const char* run_state_name(RunState state);   // returns "completed" and so on

// Says what a hook decided about a call.
struct HookVerdict {
  enum class Kind : std::uint8_t { Allow, Change, Deny, Ask };   // make, make with other args, refuse, ask a person
  Kind kind = Kind::Allow;      // says which of the other members are set
  Value args = {};              // Change: the new arguments, a map with string keys
  std::string text = {};        // Deny: the reason; Ask: the question

  // Each function makes a verdict of one kind.
  static HookVerdict allow() { return {}; }
  static HookVerdict change(Value args) { return {Kind::Change, std::move(args), {}}; }
  static HookVerdict deny(std::string why) { return {Kind::Deny, {}, std::move(why)}; }
  static HookVerdict ask(std::string question) { return {Kind::Ask, {}, std::move(question)}; }
};

// Functions that the run calls around every call of a tool. The run keeps each verdict other than "allow": a run that
// is restored, or runs again from its store, does not ask the hook twice. A verdict holds only for the arguments that
// the hook has seen.
struct Hooks {
  // Judges a call before it is made. The arguments fit the signature and are found by name.
  std::function<HookVerdict(ToolCall&)> before_tool = {};
  // Sees the answer. A returned value replaces the answer; nullopt keeps the answer.
  std::function<std::optional<Value>(ToolCall&, ValueView answer)> after_tool = {};
  std::function<void(const Diagnostic&)> on_error = {};     // sees the fault of a turn that ends with a fault
};

// A text that is kept until it is used, such as RunOptions::data_json. A BorrowedText takes literals, views and strings
// that have a name, and does not compile with a string that is destroyed before the text is used.
class BorrowedText : public std::string_view {
 public:
  BorrowedText() = default;                                              // makes an empty text
  BorrowedText(const char* text) : std::string_view(text) {}             // NOLINT: a literal may be given as it is
  BorrowedText(std::string_view text) : std::string_view(text) {}        // NOLINT: so may a view
  BorrowedText(const std::string& text) : std::string_view(text) {}      // NOLINT: so may a string
  BorrowedText(const std::string&& text) = delete;                       // give the string a name
};

// Says what a run begins with.
struct RunOptions {
  std::string id = "run";                 // part of every idempotency key outside of tasks
  Tools tools = {};                       // the tools that the program may call; the run keeps this list
  Limits limits = {};                     // see Limits
  BorrowedView data = {};                      // a map for data/…; start() copies it
  BorrowedText data_json = {};                 // the map as JSON text; "" when `data` is used; start() reads it
  std::string signature = {};                  // the shape of the result; a result of another shape is a fault
  Hooks hooks = {};                       // start() copies the hooks; what they capture must outlive the run
  Observer* observer = nullptr;           // not owned; must outlive the run
  std::optional<std::int64_t> time_ms = {};    // the time for the program, ms since 1970; nullopt: the system clock
  bool journal = true;                    // false: the program may not use (task …)
  std::string name = {};                       // names the sources that Session::begin() compiles, in messages
  std::optional<int> float_precision = {};     // rounds floats of the result to that many decimals, 0 to 300
  bool strict_task_ids = false;           // true: Session::begin() wants a string literal as the id in (task id …)
  bool check_tools = true;                // false: Session::begin() takes sources that call tools which are not there
  // true: calls() lists the calls of all tools, also of those that have callables, and no more calls at once than the
  // limits have room for. The host answers them, or lets make() call them.
  bool hands_out_calls = false;
  // true: step() also returns Yielded before it calls tools and after it called them, so that the host can take a
  // snapshot there.
  bool pauses_at_calls = false;
  bool is_out_of_time = false;            // true: every turn ends with the fault timeout before its first instruction
};

// An operation that waits. Its views are valid until the run is stepped or destroyed.
struct PendingOperation {
  std::string id, tool;                   // the id for resolve(); the name of the tool
  ValueView args, progress;               // the arguments of the call; the last value of Run::progress(), or nil
  std::int64_t since_ms = 0;              // when the operation began, ms since 1970
  std::int64_t deadline_ms = 0;           // when the program stops waiting for the operation; 0 means never
  bool is_awaited = false;                // true when a part of the program waits for the operation now
  bool is_sleep = false;                  // true for (sleep ms), which settles by itself at deadline_ms
  bool is_signal = false;                 // true for (await-signal name); neither a sleep nor a signal has a tool
};

// An operation that waits, as texts that own their parts. See Run::pending_records().
struct PendingRecord {
  std::string id, tool;                   // as in PendingOperation
  std::string args_edn, args_json;        // the arguments of the call
  std::string progress_edn;               // the last value of Run::progress(), or "nil"
  std::int64_t since_ms = 0, deadline_ms = 0;   // as in PendingOperation
  bool is_awaited = false;                // as in PendingOperation
};

// A call that the program made and that has its answer, as texts. See Run::call_records().
struct CallRecord {
  std::string tool, args_edn;             // the name of the tool; the arguments of the call
  std::string result_edn;                 // the answer, or "" for a call that failed; a handle for an open operation
  std::string error;                      // why the call failed
  bool failed = false;                    // whether the call failed
  bool cached = false;                    // whether the answer came from the cache of the run (ToolOptions::cache)
};

// Says what became of an operation, for Run::resolve_all().
struct Resolution {
  enum class Kind : std::uint8_t { Ok, Error, Cancelled, Progress };   // as resolve(), resolve_error() and so on
  std::string operation;                  // the id of the operation
  Kind kind = Kind::Ok;                   // says which of the other members are used
  ValueView value = {};                   // Ok, Progress: the value, which must be valid during the call
  std::string reason = {};                // Error, Cancelled: why
};

// A call of a deferred tool, or a call about which a hook asks.
struct WaitingCall {
  std::uint64_t id = 0;                   // the number of the call in its run, for answer()
  std::string tool;                       // the name of the tool
  ValueView args;                         // valid until the run is stepped or destroyed
  std::string key;                        // the idempotency key; for a question, the key for decide()
  std::string task_id;                    // the id of the innermost open task, or ""
  std::string question;                   // the question of the hook; "" for a call of a deferred tool
  std::uint64_t attempt = 1;              // in a stored run: the number of this attempt, from 1
  bool is_deferred = true;                // false: the tool has a callable (StoredRun::make)
  // In a stored run: a number that grows with each claim of the run. Who keeps the largest number that came can refuse
  // calls of a process that was taken for dead. 0: there is no claim.
  std::uint64_t fencing_token = 0;
  // The time at which the turn is over whatever the answer is, or nullopt without Limits::timeout_ms.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// Says more about the answer of a call.
struct AnswerDetails {
  std::chrono::microseconds took{0};      // how long the call took; events show it
  // For calls that started an operation: what the handle shows until the operation is resolved, and how long the
  // operation may take (0: Limits::operation_ttl_ms).
  ValueView progress = {};
  std::chrono::milliseconds ttl{0};
  // answer_json() only. true: {"pending": ID, "immediate": VALUE, "ttl_ms": N} says that the call started an operation;
  // the last two members may be missing.
  bool announces = false;
  // What the tool wrote beside its answer, such as its standard error. A stored run keeps the last 4,096 bytes with a
  // call that its log has (JournalCall::errors); other runs do nothing with it.
  std::string_view errors = {};
};

// Counts what a run has used, over all its suspensions.
struct Usage {
  std::uint64_t fuel = 0, peak_bytes = 0, active_micros = 0;   // work; most bytes of the heap at once; time in step()
  std::uint32_t tool_calls = 0, suspensions = 0;               // counts of this turn
};

// The result of a turn. An Outcome owns all of its parts, so it may outlive the run and go to other threads.
struct Outcome {
  RunState state = RunState::Failed;      // see RunState
  Value value;                            // the value of a run that is over; nil after a fault
  std::optional<Diagnostic> diagnostic;   // describes the fault, when the turn ended with a fault
  std::vector<std::string> prints, warnings;   // in the order in which they were made
  std::vector<std::pair<std::string, std::string>> summaries;   // ids and texts of (step-done id text), sorted by id
  Usage usage;                            // see Usage
};

// Takes bytes in order, in pieces of any size. Returns false when it takes no more.
using ByteSink = std::function<bool(std::span<const std::byte> piece)>;

// Says what a restored run goes on with. Hooks, observer and time come from the new host; the rest is in the snapshot.
struct RestoreOptions {
  Tools tools = {};                            // must have the tools of the run, unchanged; else restore() refuses
  Limits limits = {};                          // the run gets the smaller of these limits and its own
  std::size_t max_bytes = 64u << 20;      // the largest snapshot that restore() takes
  Hooks hooks = {};                            // see Hooks
  Observer* observer = nullptr;                // not owned; must outlive the run
  std::optional<std::int64_t> time_ms = {};    // as in RunOptions
  bool hands_out_calls = false;                // as in RunOptions
  bool pauses_at_calls = false;                // as in RunOptions
};

// One program with its memory; the top of this file has the thread rules. A Run can be moved, not copied.
class PTCVM_API Run {
 public:
  struct Impl;   // internal
  // Makes a run at the beginning of the program. Errors: invalid_signature; invalid_value when data is not a map,
  // or the id is not UTF-8.
  static Result<Run> start(const Engine& engine, const Program& program, const RunOptions& options = {});
  // Makes a run that goes on where the snapshot was taken. The snapshot is bytes or JSON from anywhere. Errors:
  // invalid_snapshot, refused, too_large.
  static Result<Run> restore(const Engine& engine, std::span<const std::byte> snapshot,
                             const RestoreOptions& options = {});
  // Does the same, and gives the memory of the bytes back to the system while it reads them, so that a large run is not
  // in memory twice. The bytes must be in memory that no file backs. Their content is lost, except when the error is
  // snapshot_refused for its tools: then they are as they were.
  static Result<Run> restore_from(const Engine& engine, std::span<std::byte> snapshot,
                                  const RestoreOptions& options = {});
  Run(Run&& moved) noexcept;
  Run& operator=(Run&& moved) noexcept;
  ~Run();

  // Executes at most about `fuel` units of work and returns the state. A run that is over stays as it is. A suspended
  // run for which no answer has come returns Suspended at once.
  RunState step(std::uint64_t fuel = UINT64_MAX);
  // Frees the memory of a run that waits for operations, deferred calls or decisions, except about the size of its
  // snapshot. Use park() when many runs wait. The next call of any function restores the run in a few microseconds.
  // Views into the run become invalid. Returns false, and does nothing, when the run does not wait or is about to
  // retry.
  bool park();
  RunState state() const;                 // returns the state after the last step
  bool is_over() const;                   // returns whether the state is Completed, Returned or Failed
  // Makes the step that runs now, or the next one, end with the fault "cancelled". Any thread and any signal handler
  // may call cancel(). A later turn of a session does not see it.
  void cancel();

  // Returns the result of a run that is over. The view is valid until the run is destroyed or begins another turn.
  ValueView result() const;
  // Write the result as text within the memory and the time of the turn, which ValueView::to_edn() does not look at.
  // Return nullopt when the run is not over or has a fault. A result whose text does not fit makes the run fail with
  // memory_exceeded, timeout or cancelled.
  std::optional<std::string> result_edn();
  std::optional<std::string> result_json();
  std::optional<Diagnostic> diagnostic() const;
  // These functions may be called at any time, and return what this turn did so far.
  std::vector<std::string> prints() const;
  std::vector<std::string> warnings() const;
  std::vector<std::pair<std::string, std::string>> summaries() const;   // as Outcome::summaries
  Usage usage() const;
  Outcome outcome() const;
  // Returns the calls of tools of this turn that have an answer, in the order in which they were made. Values share
  // their parts and texts do not, so all texts of one list have a common limit, which grows with the memory that the
  // run has left. A text beyond the limit is "…".
  std::vector<CallRecord> call_records() const;
  std::string_view id() const;

  // Lists operations that wait, in the order in which they were opened, and resolves them in any order. The program
  // sees the resolutions in the next step. Resolving an operation again in the same way changes nothing. Errors:
  // already_resolved, unknown_operation, too_large; invalid_value when the value does not fit the signature of the
  // tool.
  std::vector<PendingOperation> pending() const;
  // Returns the same list as texts, within a limit as in call_records(). JSON beyond the limit is null.
  std::vector<PendingRecord> pending_records() const;
  Result<void> resolve(std::string_view operation, ValueView value);
  Result<void> resolve_error(std::string_view operation, std::string reason);
  Result<void> resolve_cancelled(std::string_view operation, std::string reason = {});
  Result<void> progress(std::string_view operation, ValueView value);   // sets the progress that the handle shows
  // Resolves several operations in that order, or none of them: the first one that is refused gives the error.
  Result<void> resolve_all(std::span<const Resolution> resolutions);
  std::vector<std::string> take_cancelled();   // returns operations that the program gave up, so that tools can stop
  // Returns the time, in ms since 1970, at which the host should step a waiting run although no answer has come (for
  // sleeps, deadlines and retries), or nullopt when there is no such time.
  std::optional<std::int64_t> wake_time_ms() const;
  void set_time(std::int64_t ms);         // sets the time that the program sees from the next step on

  // Lists calls of deferred tools (of all tools with hands_out_calls), and answers them. The run goes on when all of
  // them are answered. Error: wrong_state when no such call waits.
  std::vector<WaitingCall> calls() const;
  Result<void> answer(std::uint64_t call, ValueView value, const AnswerDetails& details = {});
  Result<void> answer_error(std::uint64_t call, std::string message, const AnswerDetails& details = {});
  // Says that the call started an operation, for tools of mode Async or Auto.
  Result<void> answer_pending(std::uint64_t call, std::string operation_id = {}, const AnswerDetails& details = {});
  // Answers with JSON text, which is read within the memory and the time of the turn: an answer that does not fit ends
  // the turn with memory_exceeded, timeout or cancelled. Error: invalid_value when the text is no JSON; the call still
  // waits.
  Result<void> answer_json(std::uint64_t call, std::string_view json, const AnswerDetails& details = {});
  // Says that the call was made, and that its answer does not fit into the memory of the run: the turn ends with
  // memory_exceeded.
  Result<void> answer_too_large(std::uint64_t call, const AnswerDetails& details = {});
  // Writes the arguments of a call as JSON, within the memory and the time of the turn, which ValueView::to_json() does
  // not look at. Error: too_large when the text does not fit; the call has failed, and the turn ends with
  // memory_exceeded, timeout or cancelled.
  Result<std::string> args_json(std::uint64_t call);
  // Counts so many bytes that the host holds for the run now, such as the output of tools on its way, as memory of the
  // run, instead of the bytes of the call before. park() and snapshot() forget the count.
  void hold_memory(std::uint64_t bytes);
  std::uint64_t memory_left() const;      // returns how many more bytes Limits::memory_bytes has room for
  // Calls the tool's own callable in this thread, and answers with what it returns; calls that were handed out are not
  // made again when they fail. Error: not_available when the tool is deferred.
  Result<void> make(std::uint64_t call);
  // Counts time that the host spent on calls as time of the turn (Limits::timeout_ms). make() does so itself.
  void count_time(std::chrono::microseconds spent);

  // Lists calls about which a hook asks, and decides them. A denied call becomes a tool_error. Pass `args_edn` when a
  // person has seen the arguments. Error: refused when the call was decided otherwise or has other arguments.
  std::vector<WaitingCall> questions() const;
  Result<void> decide(std::string_view key, bool allowed, std::string reason = {},
                      const std::optional<std::string>& args_edn = std::nullopt);

  // Returns the whole run between two steps as bytes for restore(). The same state gives the same bytes. With
  // self_contained = false the snapshot names its programs by hash, and restore() needs an engine that has them.
  std::vector<std::byte> snapshot(bool self_contained = true) const;
  // Writes the bytes of snapshot() in pieces, so that a large run is not in memory twice. It takes twice the time.
  // Returns false when the sink did.
  bool write_snapshot(const ByteSink& sink, bool self_contained = true) const;
  // Writes the bytes of seal() around the snapshot so. Errors: seal_refused; store_failed when the sink returned false.
  Result<void> write_sealed_snapshot(const ByteSink& sink, const KeyRing& keys, const SealLabel& label,
                                     bool self_contained = true) const;
  std::string snapshot_json() const;      // returns the snapshot as JSON, which is lossless and readable
  std::size_t memory_bytes() const;       // returns the size of the heap of the run now

  // Returns the journal as EDN, {"id" value}, or "" when that takes more than the run has memory left and 4 MiB.
  std::string journal_edn() const;

 private:
  friend class Session;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm
