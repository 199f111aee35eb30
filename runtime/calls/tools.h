// A program can call the tools of its host by name. A handler returns an answer, an error, or the id of an operation
// whose answer comes later (ToolReply::pending). The AsyncMode of the tool decides what the program gets.
//
// Values cross this boundary in the heap of the run. The answer of a handler must be plain data (is_plain_data): dates
// travel as ISO text in both directions, and functions do not travel.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/calls/retry.h"
#include "schema/effect_class.h"
#include "schema/fault_kind.h"
#include "vm/value/heap.h"

namespace ptc {

struct Signature;     // runtime/signature/signature.h

using Deadline = std::chrono::steady_clock::time_point;

enum class AsyncMode : std::uint8_t {
  No,     // the call gives the answer; a pending operation is an error
  Yes,    // the call gives a pending handle, even when the answer is there at once
  Auto,   // the call gives the answer, and waits when the answer comes later
};

struct ToolDefinition {
  std::string name;
  std::string signature;      // may be ""; a signature that cannot be read is ignored
  bool cache = false;         // true: equal arguments get the first good answer again
  AsyncMode async = AsyncMode::No;
  EffectClass effect = EffectClass::Unsafe;
  RetryPolicy retry = {};     // how often a failed call is made again
  bool deferred = false;      // true: the call has no handler and waits for CallDesk::answer()
  std::shared_ptr<const Signature> contract = {};   // checks calls and answers; null checks nothing
};

// Says which call of which run this is. The key stays the same when the program runs again and makes the call for the
// same intent. Tools with effects should pass the key on.
struct CallMeta {
  std::string_view run_id;
  std::uint64_t turn = 0;
  std::string_view task_id;      // "" outside of tasks
  std::string_view call_path;
  std::string_view idempotency_key;
  std::uint64_t fencing_token = 0;                // the claim of a run in a store has it; 0: no claim
};

struct ToolCall {
  std::string_view name;                          // the name under which the tool is registered
  Value args;                                     // a map with string keys, borrowed
  Heap& heap;
  std::optional<Deadline> deadline;               // the deadline of the whole run
  const std::atomic<bool>* cancelled = nullptr;   // may be null
  CallMeta meta = {};
  std::uint64_t attempt = 1;
};

struct ToolReply {
  Value result = Value::nil();    // the holder of the reply owns it
  bool failed = false;
  std::string message;            // the message of a failed call
  std::string errors = {};        // what the tool wrote to its standard error; a stored run keeps it with the call
  std::string found = {};         // a value that did not fit, as text; "" when the call failed for another reason
  FaultKind fault = FaultKind::ToolError;   // the fault with which a failed call ends the program
  bool is_unknown = false;        // the call failed and may have happened; its effect class decides
  std::uint64_t attempt = 0;      // the attempt, when the handler counts attempts; 0: as the call says
  bool is_partial = false;        // only a part happened; result says which part
  bool is_pending = false;        // result is the value of the operation until it is resolved
  std::string operation_id;       // the id of a pending operation; "" lets the run choose one
  std::optional<std::int64_t> ttl_ms;

  static ToolReply value(Value taken) {
    ToolReply reply;
    reply.result = taken;
    return reply;
  }
  static ToolReply error(std::string message) {
    ToolReply reply;
    reply.failed = true;
    reply.message = std::move(message);
    return reply;
  }
  // Makes a reply that says that the call may have happened: it was cut off, gave no answer, or gave an unreadable one.
  static ToolReply unknown(std::string message) {
    ToolReply reply = error(std::move(message));
    reply.is_unknown = true;
    return reply;
  }
  // Makes the reply of a call that was made, and whose answer does not fit into the memory of the run. The program ends
  // with memory_exceeded at the call.
  static ToolReply too_large(std::string_view tool) {
    ToolReply reply = unknown("the answer of " + std::string(tool) + " does not fit into the memory of the run");
    reply.fault = FaultKind::MemoryExceeded;
    return reply;
  }
  static ToolReply partial(Value taken) {
    ToolReply reply = value(taken);
    reply.is_partial = true;
    return reply;
  }
  static ToolReply pending(std::string operation_id = {}, Value taken_immediate = Value::nil(),
                           std::optional<std::int64_t> ttl_ms = std::nullopt) {
    ToolReply reply;
    reply.result = taken_immediate;
    reply.is_pending = true;
    reply.operation_id = std::move(operation_id);
    reply.ttl_ms = ttl_ms;
    return reply;
  }
};

// Makes an unknown reply of one whose value the heap had no room for (Heap::refuse): the call was made, and only its
// answer is lost. The program ends with memory_exceeded at the call.
void refuse_too_large(Heap& heap, std::string_view tool, ToolReply& reply);

using ToolHandler = std::function<ToolReply(const ToolCall&)>;

// Says what a hook decided about a call.
struct ToolVerdict {
  enum class Kind : std::uint8_t {
    Allow,
    Change,   // make the call with other arguments
    Deny,     // let the call fail with `text`
    Ask,      // let a person decide; `text` is the question
  };
  Kind kind = Kind::Allow;
  Value args = Value::nil();      // Change: a map with string keys; the holder owns it
  std::string text;
};

// Functions around every call of a session. The session keeps the decisions of `before` (Approval), so a call is judged
// once, however often its run is suspended or run again.
struct ToolHooks {
  std::function<ToolVerdict(const ToolCall&)> before;
  std::function<std::string(const CallMeta&)> key_of;   // gives equal calls equal keys; without it, the idempotency key
};

// What the session knows about a call that a hook did not simply allow.
struct Approval {
  enum class State : std::uint8_t { Open, Allowed, Changed, Denied };
  State state = State::Open;
  std::string tool, args_edn;     // the tool and the arguments of the question
  std::string text;               // Open: the question; Denied: the reason; Changed: the new arguments as EDN
  bool operator==(const Approval&) const = default;
};
std::string_view approval_state_name(Approval::State state);   // "open" and so on
std::optional<Approval::State> find_approval_state(std::string_view name);
std::string approval_edn(const Approval& approval);
std::optional<Approval> read_approval(std::string_view edn);

// Says whether a call in doubt happened, for reconcilable tools.
struct Reconciled {
  enum class State : std::uint8_t { Happened, DidNot, Unknown };
  State state = State::Unknown;
  Value result = Value::nil();    // the answer when the call happened; the holder owns it
  std::string reason = {};        // Unknown: why nothing is known, or ""
};
using ReconcileHandler = std::function<Reconciled(const ToolCall&)>;   // gets the call as it was made

struct Tool {
  ToolDefinition definition;
  ToolHandler handler;
  ReconcileHandler reconcile;     // when empty, a person is asked
};

class ToolRegistry {
 public:
  // Adds a tool, which replaces an earlier tool of the same name.
  void add(ToolDefinition definition, ToolHandler handler, ReconcileHandler reconcile = {});
  // Returns the tool of exactly that name, or else of the name with "-" and "_" taken as the same, or null.
  const Tool* find(std::string_view name) const;
  bool empty() const { return tools_.empty(); }
  std::vector<std::string_view> names() const;         // sorted
  std::vector<std::string_view> sync_names() const;    // sorted

 private:
  std::vector<Tool> tools_;   // sorted by name
};

// Returns "Unknown tool: n. Available tools: a, b".
std::string unknown_tool_message(std::string_view name, const ToolRegistry& tools);

// Returns whether the value consists of nil, booleans, numbers, strings, keywords, and vectors, maps and sets of them.
// Iterative.
bool is_plain_data(Heap& heap, Value value, Value* offender = nullptr);
// Returns a message for an answer that is not plain data: "its answer holds a function, which is not plain data".
std::optional<std::string> plain_data_complaint(Heap& heap, Value answer);

}  // namespace ptc
