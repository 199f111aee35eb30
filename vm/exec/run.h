// A run of a program: heap, namespace, fibers, records. step() executes until the program ends or needs something from
// the host, and never blocks, reads a clock or calls back.
//
// One thread at a time uses a run, which can move between threads. Values given to a run must be in its heap().
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
#include "vm/exec/guest_stack.h"
#include "vm/exec/program.h"
#include "vm/value/heap.h"
#include "vm/value/patience.h"

namespace ptc {

// Says what happens to operations that still wait when a turn ends well, and to the losers of await-any.
enum class Outstanding : std::uint8_t {
  Detach,   // the operations stay in the table, and later turns may await them
  Cancel,   // the operations are cancelled, and the host tells their tools (take_cancel_requests)
  Error,    // the turn fails with pending_outstanding
};

// The limits of a run (schema/limits.def), and what its host wants besides.
struct RunLimits : Limits {
  Outstanding outstanding = Outstanding::Detach;
  bool operator==(const RunLimits&) const = default;
};

// A guest fault with its position in the program of the user.
struct RunFault {
  FaultKind kind{};
  std::string message, hint;
  SourceSpan span;
  std::shared_ptr<const Program> program;    // the program of the span; may be null
  std::string found = {};                    // the value that did not fit, as text (vm/value/shown_value.h), or ""
  GuestStack stack;                          // the calls around the fault; when a branch failed, its own come first
};

// A tool call that waits for the host.
struct ToolRequest {
  std::uint64_t id;          // the number of the request, unique in the run, from 1
  std::string_view tool;
  Value args;                // a map with string keys, borrowed
  SourceSpan span;
  std::string task_id;       // the innermost open task, or ""
  std::string call_path;     // the position of the call inside of the body of the task or of the turn (call_sites.cpp)
  std::string key;           // stays the same for the same intent when the program runs again
};

// The reply of an async tool.
struct PendingReply {
  enum class Use : std::uint8_t {
    Handle,       // async: the call yields the handle
    WaitAtCall,   // auto: the call waits and yields the result
    Unexpected,   // the tool is neither: the operation is kept, the call fails with unexpected_pending
  };
  std::string id;                          // the id; "" lets the run choose one
  Value immediate = Value::nil();          // the holder of the reply owns it
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
  Same,              // the operation was settled in the same way before; nothing changed
  AlreadyResolved,   // the operation was settled in another way
  Unknown,           // there is no such operation
};

// An operation that a part of the program waits for now.
struct AwaitedOperation {
  std::string_view id;
  std::int64_t deadline_ms;                // the earliest time that ends the wait by itself; 0 when there is none
};

// One call of a tool. Values are borrowed from the run until the next step() or start().
struct ToolRecord {
  std::string tool;
  Value args;
  Value result;              // Absent after a failure; for an async call, its result or its handle
  std::string error;
  bool cached = false;
};

enum class StepStatus : std::uint8_t {
  Completed,    // result(): the program's value
  Returned,     // result(): (return v)
  Failed,       // result(): (fail v)
  Faulted,      // fault(); the namespace is as it was at start()
  NeedsTool,    // tool_requests() wait for an answer
  Suspended,    // the run waits for an operation or a deadline: awaited(), next_deadline()
  Yielded,      // the slice is used up; step() goes on
};

class RunImpl;

class Run {
 public:
  // `memory` is the source of memory of the heap; null means malloc.
  explicit Run(const RunLimits& limits, std::shared_ptr<MemorySource> memory = nullptr);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  Heap& heap();
  Environment& environment();                         // prints, journal, summaries, warnings
  const RunLimits& limits() const;

  // Call these functions before start(). They take their values.
  void define(std::string_view name, Value taken);    // a name of the user namespace
  void undefine(std::string_view name);
  void set_context(Value taken_map);
  void set_history(std::vector<Value> taken_newest_first);
  void set_budget(Value taken_map);
  void enable_journal();                              // without a journal, (task …) does not cache
  // Makes step() return Yielded right after each commit, before the next instruction, so that the host can make the
  // commit durable. Not a part of the state: set it again after a restore.
  void set_yields_at_commits(bool wanted);

  // Begins a turn with the namespace as it is now. May be called again after a run ended.
  void start(std::shared_ptr<const Program> program);

  // Sets who is asked in the middle of builtins that go through much data, where no slice ends. A patience that says no
  // must have called cancel() before: the run then faults at the call of the builtin. Not owned; not a part of the
  // state.
  void set_patience(Patience* patience);

  // Executes at most about fuel_slice units.
  StepStatus step(std::uint64_t fuel_slice = UINT64_MAX);

  // Restores the namespace of start() after a turn whose result the host refuses.
  void revert();

  Value result() const;                               // borrowed
  const RunFault& fault() const;
  void cancel(FaultKind kind, std::string message);   // the next step() reports a fault (timeout, cancelled)

  std::span<const ToolRequest> tool_requests() const;
  // Counts a call before the tool is really called (not when its answer comes from a cache). Returns false when the
  // limit of tool calls is exceeded: the request then failed with tool_call_limit_exceeded, and the call must not be
  // made.
  [[nodiscard]] bool admit(std::uint64_t request_id);
  void answer(std::uint64_t request_id, Value taken, bool cached = false);
  // Both raise a fault at the call, answer_error() the fault tool_error. `found` is a value that did not fit, as text.
  void answer_error(std::uint64_t request_id, std::string message, std::string found = {});
  void answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint,
                    std::string found = {});
  // Sets the time that the program sees, in milliseconds since 1970. Call it before each step(); the core has no clock.
  // Deadlines, sleeps and the age of operations are checked when a suspended run steps again, never in between.
  void set_clock(std::int64_t epoch_millis);
  std::int64_t clock() const;

  // Asynchronous operations (vm/builtins/operations.h); they outlive turns and are never rolled back.
  // Names the run and its calls: part of every idempotency key outside of tasks.
  void set_identity(std::string run_id, std::uint64_t turn);
  const std::string& run_id() const;
  std::uint64_t turn() const;                         // start() adds one
  // Call it before an async tool is called. Returns false when too many operations wait: the request then failed with
  // pending_limit_exceeded, and the call must not be made.
  [[nodiscard]] bool admit_operation(std::uint64_t request_id);
  // Takes the values of the reply. Returns the operation, valid until the next one is opened, or null when the reply
  // was refused (its id is in use), and then the call fails.
  const Operation* answer_pending(std::uint64_t request_id, PendingReply reply);
  // Answers for an async tool that was done at once: the call gives the handle of a settled operation. Ok or Error.
  const Operation* answer_resolved(std::uint64_t request_id, Settlement settlement);
  // Resolves an operation at any time, in any order. Takes the value of the settlement. The program sees it from its
  // next suspension point on.
  ResolveStatus resolve(std::string_view operation_id, Settlement settlement);
  // Returns what resolve() would return; borrows.
  ResolveStatus can_resolve(std::string_view operation_id, const Settlement& settlement) const;
  const Operations& operations() const;
  Operations& operations();                           // before start(): the operations of an earlier session
  std::vector<AwaitedOperation> awaited() const;   // for a suspended run: in the order of fibers, each operation once
  std::optional<std::int64_t> next_deadline() const;  // the earliest deadline
  std::vector<std::string> take_cancel_requests();    // operations that the program gave up; tell their tools
  bool suspended() const;                             // returns whether the last step() suspended the run
  std::uint32_t suspensions() const;                  // counts the suspensions of this turn
  // Adds time that the turn spent running, as the host measured it. Waiting does not count. The run only keeps the sum.
  void add_active_micros(std::uint64_t micros);
  std::uint64_t active_micros() const;

  std::vector<ToolRecord> tool_records() const;       // in the order of calls; also during a run
  std::uint64_t fuel_used() const;
  // Charges work that the host does with the result of a run that is over. Returns false when less fuel is left.
  bool charge_fuel(std::uint64_t units);
  bool is_freeing() const;                            // the last step() yielded to go on freeing memory in the next one
  std::uint64_t tool_calls_left() const;              // calls that admit() would still admit
  SourceSpan position() const;                        // the place of the fiber that goes on next; line 0 means no place
  // Visits every name of the user namespace with its value, in the order of names, borrowed.
  void for_each_definition(const std::function<void(std::string_view, Value)>& visit) const;
  bool in_turn() const;                               // returns whether start() was called and the turn is not over
  std::shared_ptr<const Program> program() const;
  Value context() const;                              // borrowed
  std::span<const Value> history() const;             // borrowed, newest first
  std::vector<std::shared_ptr<const Program>> programs() const;   // programs whose code the run has, without preludes
  std::vector<std::string_view> tool_names() const;   // the tools that its programs name, sorted

 private:
  friend class MachineView;    // the door to snapshots (machine_state.h)
  friend class MachineState;
  explicit Run(std::unique_ptr<RunImpl> restored);

  std::unique_ptr<RunImpl> impl_;
};

}  // namespace ptc
