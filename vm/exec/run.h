// One run of a program: heap, namespace, fibers, records. Sans-IO: step() executes until the program ends or needs
// something from the host, and never blocks, reads a clock or calls back.
//
// A run belongs to one thread at a time and can move between threads. Values given to it must live in its heap().
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/limits.h"
#include "schema/source_span.h"
#include "vm/builtins/environment.h"
#include "vm/exec/program.h"
#include "vm/value/heap.h"
#include "vm/value/patience.h"

namespace ptc {

// What becomes of operations that still wait when a turn ends well, and of the losers of await-any.
enum class Outstanding : std::uint8_t {
  Detach,   // they stay in the table: later turns may await them
  Cancel,   // they are cancelled, and the host is asked to tell their tools (take_cancel_requests)
  Error,    // the turn fails with pending_outstanding
};

// The limits of a run (schema/limits.def), and what its host wants besides.
struct RunLimits : Limits {
  Outstanding outstanding = Outstanding::Detach;
  bool operator==(const RunLimits&) const = default;
};

// A guest fault with its position in the user's program.
struct RunFault {
  FaultKind kind{};
  std::string message, hint;
  SourceSpan span;
  std::shared_ptr<const Program> program;    // whose source the span is in; may be null
};

// A tool call that waits for the host.
struct ToolRequest {
  std::uint64_t id;          // unique in the run, counted from 1
  std::string_view tool;
  Value args;                // borrowed: map with string keys
  SourceSpan span;
  std::string task_id;       // of the innermost open task, or ""
  std::string call_path;     // position of the call inside of that task's body, or of the turn; see call_sites.cpp
  std::string key;           // the same for the same intent, whenever the program runs again
};

// What a call of an async tool gave.
struct PendingReply {
  enum class Use : std::uint8_t {
    Handle,       // async: the call yields the handle
    WaitAtCall,   // auto: the call waits and yields the result
    Unexpected,   // the tool is neither: the operation is kept, the call fails with unexpected_pending
  };
  std::string id;                          // "": the run gives it one
  Value immediate = Value::nil();          // owned by whoever holds the reply
  std::optional<std::int64_t> ttl_ms;
  Use use = Use::Handle;
};

// What the host says about an operation.
struct Settlement {
  enum class Kind : std::uint8_t { Ok, Error, Cancelled, Progress };
  Kind kind = Kind::Ok;
  Value value = Value::nil();              // Ok: the result; Progress: the new immediate value
  std::string reason;                      // Error, Cancelled
};

enum class ResolveStatus : std::uint8_t {
  Done,
  Same,              // it was settled just so before: nothing changed
  AlreadyResolved,   // it was settled otherwise
  Unknown,           // no such operation
};

// An operation that a part of the program waits for now.
struct AwaitedOperation {
  std::string_view id;
  std::int64_t deadline_ms;                // the earliest time that changes the wait by itself; 0: none
};

// Values are borrowed from the run, until the next step() or start().
struct ToolRecord {
  std::string tool;
  Value args;
  Value result;              // Absent when it failed; of an async call what it came to, or its handle
  std::string error;
  bool cached = false;
};

enum class StepStatus : std::uint8_t {
  Completed,    // result(): the program's value
  Returned,     // result(): (return v)
  Failed,       // result(): (fail v)
  Faulted,      // fault(); the namespace is as it was at start()
  NeedsTool,    // tool_requests() wait for an answer
  Suspended,    // nothing goes on before an operation is resolved or a deadline passes: awaited(), next_deadline()
  Yielded,      // the slice is used up; step() goes on
};

class RunImpl;

class Run {
 public:
  // `memory`: where its heap takes memory from; null: malloc.
  explicit Run(const RunLimits& limits, std::shared_ptr<MemorySource> memory = nullptr);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  Heap& heap();
  Environment& environment();                         // prints, journal, summaries, warnings
  const RunLimits& limits() const;

  // Before start(). All values are taken.
  void define(std::string_view name, Value taken);    // a name of the user namespace
  void undefine(std::string_view name);
  void set_context(Value taken_map);
  void set_history(std::vector<Value> taken_newest_first);
  void set_budget(Value taken_map);
  void enable_journal();                              // without it (task …) does not cache
  // From then on step() returns Yielded right after each commit, before the next instruction: the host can make it
  // durable. No part of the state: whoever restores a run says it again.
  void set_yields_at_commits(bool wanted);

  // May be called again after a run ended: the next turn, with the namespace as it is now.
  void start(std::shared_ptr<const Program> program);

  // Asked in the middle of builtins that go through much data, where no slice ends. When it is over, cancel() must have
  // been called by then: the run faults as that says, at the builtin's call. Not owned; no part of the state.
  void set_patience(Patience* patience);

  // Executes at most about fuel_slice units.
  StepStatus step(std::uint64_t fuel_slice = UINT64_MAX);

  // After the end of a turn whose result the host refuses: the namespace is again as it was at start().
  void revert();

  Value result() const;                               // borrowed
  const RunFault& fault() const;
  void cancel(FaultKind kind, std::string message);   // the next step() reports it as a fault (timeout, cancelled)

  std::span<const ToolRequest> tool_requests() const;
  // Before a tool is really called (not when its answer comes from a cache): counts the call. False: the limit of
  // tool calls is passed; the request failed with tool_call_limit_exceeded and must not be made.
  [[nodiscard]] bool admit(std::uint64_t request_id);
  void answer(std::uint64_t request_id, Value taken, bool cached = false);
  void answer_error(std::uint64_t request_id, std::string message);   // raises tool_error at the call
  void answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint);
  // The time that the program sees, in milliseconds since 1970. Call it before each step(); the core has no clock.
  // Deadlines, sleeps and the age of operations are looked at when a suspended run steps again, never in between.
  void set_clock(std::int64_t epoch_millis);
  std::int64_t clock() const;

  // Asynchronous operations (vm/builtins/operations.h); they outlive turns and are never rolled back.
  // Names the run and its calls: part of every idempotency key outside of tasks.
  void set_identity(std::string run_id, std::uint64_t turn);
  const std::string& run_id() const;
  std::uint64_t turn() const;                         // start() counts it up
  // Before an async tool is called: false when as many operations wait as may; the request then failed with
  // pending_limit_exceeded and must not be made.
  [[nodiscard]] bool admit_operation(std::uint64_t request_id);
  // Takes the reply's values. The operation, until the next one is opened; null: the reply was refused (its id is in
  // use) and the call fails.
  const Operation* answer_pending(std::uint64_t request_id, PendingReply reply);
  // Of an async tool that was done at once: the call yields the handle of a settled operation. Ok or Error.
  const Operation* answer_resolved(std::uint64_t request_id, Settlement settlement);
  // Any time, any order. Takes the settlement's value. The program sees it from its next suspension point on.
  ResolveStatus resolve(std::string_view operation_id, Settlement settlement);
  // What resolve() would say; borrows.
  ResolveStatus can_resolve(std::string_view operation_id, const Settlement& settlement) const;
  const Operations& operations() const;
  Operations& operations();                           // before start(): what an earlier session left behind
  std::vector<AwaitedOperation> awaited() const;      // of a suspended run: in fiber order, each operation once
  std::optional<std::int64_t> next_deadline() const;  // the earliest of them
  std::vector<std::string> take_cancel_requests();    // operations whose tools should be told that nobody waits
  bool suspended() const;                             // the last step() ended so
  std::uint32_t suspensions() const;                  // of this turn
  // Time that the turn spent running, as the host measured it: waiting does not count. Only kept here.
  void add_active_micros(std::uint64_t micros);
  std::uint64_t active_micros() const;

  std::vector<ToolRecord> tool_records() const;       // in the order of calls; also of a run that is not over
  std::uint64_t fuel_used() const;
  bool is_freeing() const;                            // the last step() yielded to go on freeing memory in the next one
  std::uint64_t tool_calls_left() const;              // that admit() would let through
  SourceSpan position() const;                        // where the fiber stands that goes on next; line 0: nowhere
  // Every name of the user namespace with its value, in name order, borrowed.
  void for_each_definition(const std::function<void(std::string_view, Value)>& visit) const;
  bool in_turn() const;                               // start() was called and the turn is not over
  std::shared_ptr<const Program> program() const;
  Value context() const;                              // borrowed
  std::span<const Value> history() const;             // borrowed, newest first
  std::vector<std::shared_ptr<const Program>> programs() const;   // whose code it has, without preludes
  std::vector<std::string_view> tool_names() const;   // that its programs name, sorted

  // For vm/snapshot alone.
  explicit Run(std::unique_ptr<RunImpl> restored);
  RunImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<RunImpl> impl_;
};

}  // namespace ptc
