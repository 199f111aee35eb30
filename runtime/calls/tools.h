// Host tools: what a program can call, by name. A handler gives its answer, an error, or the id of an operation whose
// answer comes later (ToolReply::pending); what the program gets for that is decided by the tool's AsyncMode.
//
// Values cross this boundary in the heap of the run. What a handler gives back must be plain data (is_plain_data):
// dates travel as ISO text in both directions, functions not at all.
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
  Yes,    // the call gives a pending handle, also for an answer that is there at once
  Auto,   // the call gives the answer and waits for it when it has to
};

struct ToolDefinition {
  std::string name;
  std::string signature;      // may be empty; a signature that cannot be read is ignored
  bool cache = false;         // same name and arguments: the first good answer is used again
  AsyncMode async = AsyncMode::No;
  EffectClass effect = EffectClass::Unsafe;
  RetryPolicy retry = {};     // after errors
  bool deferred = false;      // no handler: the call waits until the host answers it (Session::answer_call)
  std::shared_ptr<const Signature> contract = {};   // what calls and answers are held against; null: nothing
};

// Which call of which run this is. The key is the same when the program runs again and calls for the same intent: tools
// with effects should pass it on.
struct CallMeta {
  std::string_view run_id;
  std::uint64_t turn = 0;
  std::string_view task_id;      // "" outside of tasks
  std::string_view call_path;
  std::string_view idempotency_key;
};

struct ToolCall {
  std::string_view name;                          // as registered
  Value args;                                     // borrowed: a map with string keys
  Heap& heap;
  std::optional<Deadline> deadline;               // of the whole run
  const std::atomic<bool>* cancelled = nullptr;   // may be null
  CallMeta meta = {};
  std::uint64_t attempt = 1;
};

struct ToolReply {
  Value result = Value::nil();    // owned by whoever holds the reply
  bool failed = false;
  std::string message;            // when failed
  FaultKind fault = FaultKind::ToolError;   // when failed: what the program ends with
  bool is_unknown = false;        // failed, and it may have happened all the same: its effect class decides
  std::uint64_t attempt = 0;      // which one it was, when somebody else counts them; 0: as the call says
  bool is_partial = false;        // only a part happened: result says which
  bool is_pending = false;        // result is the immediate value of the operation
  std::string operation_id;       // when pending; "": the run gives it one
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
  // Nobody knows whether it happened: cut off, no answer, an answer that cannot be read.
  static ToolReply unknown(std::string message) {
    ToolReply reply = error(std::move(message));
    reply.is_unknown = true;
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

using ToolHandler = std::function<ToolReply(const ToolCall&)>;

// What a hook says about a call before it is made.
struct ToolVerdict {
  enum class Kind : std::uint8_t {
    Allow,
    Change,   // with other arguments
    Deny,     // the call fails with `text`
    Ask,      // somebody has to decide; `text` is the question
  };
  Kind kind = Kind::Allow;
  Value args = Value::nil();      // Change: a map with string keys, owned by whoever holds the verdict
  std::string text;
};

// Hooks around every call of a session. What `before` decides is kept with the session (Approval), so that a call is
// judged once, however often its run is suspended or run again.
struct ToolHooks {
  std::function<ToolVerdict(const ToolCall&)> before;
  std::function<std::string(const CallMeta&)> key_of;   // the same for the same call; none: its idempotency key
};

// What is known of a call that a hook did not simply allow.
struct Approval {
  enum class State : std::uint8_t { Open, Allowed, Changed, Denied };
  State state = State::Open;
  std::string tool, args_edn;     // that were asked about
  std::string text;               // Open: the question; Denied: the reason; Changed: the new arguments as EDN
  bool operator==(const Approval&) const = default;
};
std::string_view approval_state_name(Approval::State state);   // "open" and so on
std::optional<Approval::State> find_approval_state(std::string_view name);
std::string approval_edn(const Approval& approval);
std::optional<Approval> read_approval(std::string_view edn);

// Whether a call happened that nobody knows about: of a reconcilable tool.
struct Reconciled {
  enum class State : std::uint8_t { Happened, DidNot, Unknown };
  State state = State::Unknown;
  Value result = Value::nil();    // when it happened; owned by whoever holds it
};
using ReconcileHandler = std::function<Reconciled(const ToolCall&)>;   // the call as it was made

struct Tool {
  ToolDefinition definition;
  ToolHandler handler;
  ReconcileHandler reconcile;     // may be empty: a person is asked
};

class ToolRegistry {
 public:
  // A second tool of the same name replaces the first.
  void add(ToolDefinition definition, ToolHandler handler, ReconcileHandler reconcile = {});
  // The exact name first, then with "-" and "_" taken as the same; null when there is none.
  const Tool* find(std::string_view name) const;
  bool empty() const { return tools_.empty(); }
  std::vector<std::string_view> names() const;         // sorted
  std::vector<std::string_view> sync_names() const;    // sorted

 private:
  std::vector<Tool> tools_;   // sorted by name
};

// "Unknown tool: n. Available tools: a, b"
std::string unknown_tool_message(std::string_view name, const ToolRegistry& tools);

// nil, booleans, numbers, strings, keywords, and vectors, maps and sets of them. Iterative.
bool is_plain_data(Heap& heap, Value value, Value* offender = nullptr);
// Of an answer that is none: "its answer holds a function, which is not plain data".
std::optional<std::string> plain_data_complaint(Heap& heap, Value answer);

}  // namespace ptc
