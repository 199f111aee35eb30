// A run: one program with its memory, stepped by its host. Sans-IO: nothing here blocks, sleeps or starts a thread;
// tools with callables are called from within step(), everything else is handed out as data.
//
//   ptcvm::Engine engine;
//   auto program = engine.compile("(+ 1 2)");
//   auto run = ptcvm::Run::start(engine, *program);
//   if (run->step() == ptcvm::RunState::Completed) std::puts(run->result().to_edn().c_str());
//
// A run belongs to one thread at a time and may be moved to another one between two calls. A moved-from run may only be
// destroyed or assigned to.
#pragma once
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

// What a step came to.
enum class RunState : std::uint8_t {
  Completed,   // result(): the value of the last form
  Returned,    // result(): (return v)
  Failed,      // (fail v), then result() is v; or a fault, then diagnostic() says what
  Suspended,   // waits for operations (pending()) or for decisions (questions()); snapshot() takes it elsewhere
  Yielded,     // the budget is used up, an observer paused, or deferred calls wait (calls()): step() goes on
};
PTCVM_API const char* run_state_name(RunState state);   // "completed" and so on

// What a hook says about a call before it is made.
struct HookVerdict {
  enum class Kind : std::uint8_t { Allow, Change, Deny, Ask };   // made, made otherwise, refused, a person is asked
  Kind kind = Kind::Allow;      // says which of the following are set
  Value args = {};              // Change: a map with string keys
  std::string text = {};        // Deny: why; Ask: the question

  // One of each kind.
  static HookVerdict allow() { return {}; }
  static HookVerdict change(Value args) { return {Kind::Change, std::move(args), {}}; }
  static HookVerdict deny(std::string why) { return {Kind::Deny, {}, std::move(why)}; }
  static HookVerdict ask(std::string question) { return {Kind::Ask, {}, std::move(question)}; }
};

// Hooks around every call. A verdict other than "allow" is part of the run's state: a run that is restored, or run
// again from its store, is not judged twice, and a verdict holds for the arguments that were judged and for no others.
struct Hooks {
  // Judges a call whose arguments fit the signature. Its arguments are found by name.
  std::function<HookVerdict(ToolCall&)> before_tool = {};
  // Sees the answer; what it returns replaces it (nothing: the answer stays).
  std::function<std::optional<Value>(ToolCall&, ValueView answer)> after_tool = {};
  std::function<void(const Diagnostic&)> on_error = {};     // of a turn that ends with a fault
};

// What a run begins with.
struct RunOptions {
  std::string id = "run";                 // part of every idempotency key outside of tasks
  Tools tools = {};                       // what the program may call; the run keeps this list
  Limits limits = {};                     // see Limits
  ValueView data = {};                         // map for data/…; copied
  std::string_view data_json = {};             // the same as JSON text, read when it is not ""
  std::string signature = {};                  // of the result: one that does not fit is a fault
  Hooks hooks = {};                       // copied; what they capture must outlive the run
  Observer* observer = nullptr;           // not owned; must outlive the run
  std::optional<std::int64_t> time_ms = {};    // what the program sees as the time, since 1970; none: the system clock
  bool journal = true;                    // (task …) runs a step once
};

// An operation that waits. Views are valid until the run is stepped or destroyed.
struct PendingOperation {
  std::string id, tool;                   // id: for resolve()
  ValueView args, progress;               // of the call; what was said by Run::progress(), or nil
  std::int64_t since_ms = 0;              // ms since 1970
  std::int64_t deadline_ms = 0;           // when the program stops waiting for it; 0: never
  bool is_awaited = false;                // a part of the program waits for it now
  bool is_sleep = false;                  // (sleep ms): settles by itself at deadline_ms
};

// A call of a deferred tool, or one about which a hook asks.
struct WaitingCall {
  std::uint64_t id = 0;                   // of the call in its run: for answer()
  std::string tool;                       // its name
  ValueView args;                         // valid until the run is stepped or destroyed
  std::string key;                        // the idempotency key; of a question: for decide()
  std::string task_id;                    // of the innermost open task, or ""
  std::string question;                   // "" for a call of a deferred tool
};

// What a run has used, over all its suspensions.
struct Usage {
  std::uint64_t fuel = 0, peak_bytes = 0, active_micros = 0;   // work; of the heap at most at once; time in step()
  std::uint32_t tool_calls = 0, suspensions = 0;               // of this turn
};

// What a turn came to, with everything in it owned: it may outlive the run and go to other threads.
struct Outcome {
  RunState state = RunState::Failed;      // see RunState
  Value value;                            // of a run that is over, but of a fault
  std::optional<Diagnostic> diagnostic;   // of a fault
  std::vector<std::string> prints, warnings;   // in their order
  std::vector<std::pair<std::string, std::string>> summaries;   // of (step-done id text), by id
  Usage usage;                            // see Usage
};

// What a run goes on with. Hooks, observer and time are the new host's; everything else is in the snapshot.
struct RestoreOptions {
  Tools tools = {};                            // must have what the run names, as it was: else refused, with a report
  Limits limits = {};                          // the run gets the smaller of these and its own
  std::size_t max_bytes = 64u << 20;      // of the snapshot
  Hooks hooks = {};                            // see Hooks
  Observer* observer = nullptr;                // not owned; must outlive the run
  std::optional<std::int64_t> time_ms = {};    // as in RunOptions
};

// See the top of this file. Movable, not copyable.
class PTCVM_API Run {
 public:
  struct Impl;   // of the library
  // invalid_signature, invalid_value (data that is no map).
  static Result<Run> start(const Engine& engine, const Program& program, const RunOptions& options = {});
  // A run that goes on where the snapshot was taken: bytes or JSON. Bytes may come from anywhere. invalid_snapshot,
  // refused, too_large.
  static Result<Run> restore(const Engine& engine, std::span<const std::byte> snapshot,
                             const RestoreOptions& options = {});
  Run(Run&& moved) noexcept;
  Run& operator=(Run&& moved) noexcept;
  ~Run();

  // Goes on for at most about `fuel` units of work. A run that is over stays as it is. Suspended with nothing new: it
  // comes back suspended at once.
  RunState step(std::uint64_t fuel = UINT64_MAX);
  // Gives back the memory of a run that waits for operations, deferred calls or decisions, but for about its snapshot:
  // for hosts with many of them. Whatever is asked of the run next puts it together again, in a few microseconds. Views
  // into the run end. False: the run does not wait, or is about to make a call again; nothing happened.
  bool park();
  RunState state() const;                 // of the last step
  bool is_over() const;                   // Completed, Returned or Failed
  void cancel();                          // the next step ends the turn with the fault "cancelled"; any thread

  // Of a run that is over. The view is valid until the run is destroyed, or begins another turn.
  ValueView result() const;
  std::optional<Diagnostic> diagnostic() const;
  // At any time.
  std::vector<std::string> prints() const;
  Usage usage() const;
  Outcome outcome() const;
  std::string_view id() const;

  // Operations that wait, in the order of their opening. Resolved in any order, at any time, by whoever has the run;
  // the program sees it when it is stepped. The same twice changes nothing; otherwise already_resolved.
  // Also: unknown_operation, too_large, invalid_value (the signature of its tool wants something else).
  std::vector<PendingOperation> pending() const;
  Result<void> resolve(std::string_view operation, ValueView value);
  Result<void> resolve_error(std::string_view operation, std::string reason);
  Result<void> resolve_cancelled(std::string_view operation, std::string reason = {});
  Result<void> progress(std::string_view operation, ValueView value);   // what its handle shows
  std::vector<std::string> take_cancelled();   // operations that the program gave up: tell their tools
  // When a suspended or yielded run should be stepped although nothing came (sleeps, deadlines, retries), in ms since
  // 1970; nothing: never.
  std::optional<std::int64_t> wake_time_ms() const;
  void set_time(std::int64_t ms);         // what the program sees as the time from the next step on

  // Calls of deferred tools. The run goes on when all of them are answered. wrong_state: no such call waits.
  std::vector<WaitingCall> calls() const;
  Result<void> answer(std::uint64_t call, ValueView value);
  Result<void> answer_error(std::uint64_t call, std::string message);
  Result<void> answer_pending(std::uint64_t call, std::string operation_id = {});   // tools of mode Async or Auto

  // Calls about which a hook asks. refused: it was decided otherwise, or is about other arguments than `args` (given
  // when the one who decides saw them). A denied call is a tool_error.
  std::vector<WaitingCall> questions() const;
  Result<void> decide(std::string_view key, bool allowed, std::string reason = {},
                      const std::optional<std::string>& args_edn = std::nullopt);

  // The whole run between two steps, for restore(): canonical, the same state gives the same bytes. With
  // self_contained = false programs are named by hash, and whoever restores must have compiled or loaded them.
  std::vector<std::byte> snapshot(bool self_contained = true) const;
  std::string snapshot_json() const;      // the same for people; lossless
  std::size_t memory_bytes() const;       // of the run's heap now

  // The journal as EDN, {"id" value}.
  std::string journal_edn() const;

 private:
  friend class Session;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm
