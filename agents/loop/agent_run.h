// One run of an agent with its children, as a state machine without IO. step() runs programs until the whole tree
// waits; operations() says for what; the host does these things and answers. The same answers in the same order give
// the same run.
//
//   auto run = AgentRun::start(agent, {.id = "orders-7", .data_json = R"({"customer": "Ann"})"});
//   while (run->step() == AgentState::Waiting)
//     for (const Operation& op : run->operations()) …   // ask the model, call the tool, ask the person
//
// One thread at a time uses a run. The run may move to another thread between two calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent.h"
#include "agents/wire/refusal.h"

namespace ptcvm::loop {

enum class AgentState : std::uint8_t {
  Waiting,   // operations() says for what
  Ended,     // outcome() says how; input() goes on with the conversation
};

enum class OperationKind : std::uint8_t {
  Model,      // send Operation::body; answer with resolve_model()
  Tool,       // call the tool; answer with resolve(), reject() or pend(). The program need not wait: begin_call()
  Pending,    // a call that started something: answer with resolve() or reject() when the result is there
  Approval,   // a person says whether the call is made: resolve() with true, or reject(). For what a hook asks about a
              // turn, a request or a reply, args_json has the question
  Doubt,      // a person says what became of a call: resolve() with its answer when it happened, reject() when not
  Input,      // the program waits for a signal
  Timer,      // call advance() at Operation::due_ms
  Budget,     // a person may raise(); reject() ends the run
};

// What a host says of a call that it has not begun (Operation::is_left).
inline constexpr std::string_view kNotBegun = "the call was not begun: the program that made it has ended";

// Something that the run waits for. It owns its parts, or holds them with others.
struct Operation {
  OperationKind kind{};
  std::string path;                       // names it in the tree: "broker/desk/quote#2", "approve:pay", "model"
  std::string key;                        // stays the same when it is done again: pass it on to the tool
  std::string agent;                      // the path of the agent that waits: "broker/desk"; "" is the root
  std::string tool, args_json;            // Tool, Pending, Approval, Doubt; Budget: which limit, as a text
  const AgentTool* definition = nullptr;  // belongs to the tool; lives as long as the Agent
  bool is_begun = false;                  // Tool: begin_call() was said, and the program has its handle
  // Tool: the program that made the call has ended. The run waits because the call may have happened. A host that has
  // not begun the call does not begin it, and answers with reject(). Doubt: the call is not made when a person says
  // that it did not happen.
  bool is_left = false;
  std::int64_t due_ms = 0;                // Timer; for others the time at which the run stops waiting, or 0
  std::uint32_t attempt = 1;              // Model: counts the requests for one reply
  // Model, Tool: the deadline of the agent, in ms since 1970, or 0. A host need not wait longer for a reply: it says
  // that the reply was cut, and the agent ends with mission_timeout. It begins no call from then on, and calls
  // AgentRun::advance() instead.
  std::int64_t deadline_ms = 0;
  ModelChoice model = {};                 // Model: which one is asked
  std::string_view body = {};             // Model: the request as bytes of its protocol; body_owner has them
  std::shared_ptr<const std::string> body_owner = {};
  std::vector<std::string> callable = {}; // Model: the tools that the turn may call, children included, sorted
};

// What came for a request of a model.
struct ModelReply {
  int status = 200;                       // the HTTP status; 0: there was no connection
  wire::Headers headers = {};
  std::string body = {};                  // all bytes that came, beginning with those given to chunk()
  bool is_cut = false;                    // the connection ended before the message did
  // What the reply has cost, in millionths. nullopt: the prices of the agent say it, unless nobody knew it when the
  // reply came.
  std::optional<std::uint64_t> money = {};
  bool has_unknown_cost = false;
  bool is_of_program = false;             // a program of the host took the place of the model: no call is counted
};

// Error::detail for a document that does not say how its program ended, which versions up to 6 can be. The run can be
// made again from its log.
inline constexpr std::string_view kEndIsLost = "end_is_lost";

struct AgentUsage {
  std::uint32_t turns = 0;                // turns that the root has ended
  std::uint32_t tree_turns = 0, model_calls = 0, tool_calls = 0;   // counts of the whole tree
  std::uint64_t fuel = 0;
  std::uint64_t input = 0, cached = 0, cache_written = 0, output = 0, reasoning = 0;   // tokens
  std::uint64_t money = 0;                // in millionths: AgentOptions::prices
};

// How a run ended.
struct AgentOutcome {
  bool is_ok = false;
  std::string result_json;                // the value that was returned; "null" when there is none
  std::string reason, message;            // why it ended with an error
  bool fallback_used = false, repaired = false;
};

// The rules of runs that begin now. Up to 7: the version of documents with which they came.
inline constexpr std::uint32_t kAgentRules = 11;
// The rules of runs whose host tells them what happens, in place of what a person wants to have answered: what comes
// while the last reply is awaited begins no turn. All else is as with kAgentRules.
inline constexpr std::uint32_t kToldRules = 12;
inline constexpr std::uint32_t kLastRules = kToldRules;

struct AgentStart {
  std::string id = "agent";
  std::string data_json = "{}";           // a map for data/…
  std::string journal_json = "{}";        // tasks that are done before
  std::int64_t time_ms = 0;               // ms since 1970
  // false: the keys of calls in tasks lack the id of the run, for a run that an earlier version began.
  bool keys_name_run = true;
  // The rules by which the run goes, so that a log gives the same run in a later version: 0 for a run that was begun by
  // a version whose documents were at most version 6 (decision 0053).
  std::uint32_t rules = kAgentRules;
};

// Turns of the root, for people and for `agent show`.
struct TurnView {
  std::uint32_t number = 0;
  std::string kind, program, reply, feedback, value;   // kind: "value", "returned", "failed", "fault", "not_run"
  bool repaired = false;
};

class AgentRun {
 public:
  struct Impl;   // internal
  // Error: invalid_value when the data or the journal are no JSON objects, or when the data does not fit the parameters
  // of the signature, as the arguments of a child do. More data than the signature names is no fault.
  static Result<AgentRun> start(const Agent& agent, const AgentStart& start = {});
  // The same for a run that was begun before, perhaps by a version that took all data: only JSON objects are asked for.
  static Result<AgentRun> start_again(const Agent& agent, const AgentStart& start);
  // Goes on where snapshot() or snapshot_json() was taken. The bytes may come from anywhere. Errors: invalid_snapshot;
  // refused when the agent is another one.
  static Result<AgentRun> restore(const Agent& agent, std::span<const std::byte> snapshot);
  AgentRun(AgentRun&&) noexcept;
  AgentRun& operator=(AgentRun&&) noexcept;
  ~AgentRun();

  const std::string& id() const;
  // Runs programs until everything waits or the run has ended.
  AgentState step();
  // Frees the memory of a run that waits, except about the size of its document, for hosts in which many runs wait. The
  // next call restores the run in some microseconds; id(), state() and advance() leave it parked. What operations() and
  // turns() returned before stays good. Returns false, and does nothing, while a stream is read with chunk().
  bool park();
  AgentState state() const;
  // Lists what the whole tree waits for, sorted by path. Call step() before.
  std::vector<Operation> operations() const;
  // Lists the paths of operations that wait for something from outside: everything except Model and Tool.
  std::vector<std::string> pending() const;

  // Shows the bytes of a stream to AgentOptions::on_token as they come. Nothing of them counts before the whole reply.
  void chunk(std::string_view path, std::string_view bytes);
  // The reply to a request whose agent is gone, because its program ended before, is charged, and that is all.
  Result<void> resolve_model(std::string_view path, const ModelReply& reply);
  // Returns which model was asked by a request whose reply may come, also when its agent is gone; nullopt: there is no
  // such request.
  std::optional<ModelChoice> model_of(std::string_view path) const;
  // Says that a request was sent and its reply can never come, because its process died. It is charged and sent again.
  Result<void> lose_model(std::string_view path);
  // Says that a request is not sent before `due_ms`, because its server takes no more until then. The run waits with a
  // timer; the request is not charged, and its attempt counts no second time.
  Result<void> defer_model(std::string_view path, std::int64_t due_ms);

  // Answer operations, in any order. The same answer twice changes nothing. Errors: unknown_operation,
  // already_resolved, invalid_value; the message names the path.
  Result<void> resolve(std::string_view path, ValueView value);
  Result<void> reject(std::string_view path, std::string_view why);
  Result<void> pend(std::string_view path);     // the call of a tool started something that ends later
  // Says that a call of an async tool is under way: the program gets its handle and goes on. The operation stays a Tool
  // and is answered as before; the turn of the program does not end before. Error: wrong_state for another mode.
  Result<void> begin_call(std::string_view path);
  // Says that nobody knows whether the call happened: the run waits until a person says it, as doubt_path().
  Result<void> doubt(std::string_view path);
  // Returns the path that the next doubt about a call has: "desk/doubt:pay" for "desk/pay", and "desk/doubt:pay@2" when
  // a person has said before that the call did not happen.
  std::string doubt_path(std::string_view call) const;

  Result<void> input(std::string_view text);    // what the user says next
  // Adds to limits by name; "turns" adds work turns, and as many to the tree. Error: invalid_value for other names.
  Result<void> raise(std::string_view limit, std::uint64_t by);
  // Lowers a limit of the whole run to at most `most`, for a host that allows less than the agent has. A limit that is
  // lower stays. Error: invalid_value for other names, and for 0 with "money".
  Result<void> lower(std::string_view limit, std::uint64_t most);
  // Returns a limit of the whole run, or nullopt when it is not set or has another name.
  std::optional<std::uint64_t> limit(std::string_view name) const;
  // Goes on with other models: `agent` has the same definition. Error: refused.
  Result<void> go_on_as(const Agent& agent);
  void advance(std::int64_t time_ms);           // sets the time, which only goes forward
  std::int64_t time_ms() const;
  // Takes an advance() back behind which the run was told nothing: what was told was refused.
  void turn_back(std::int64_t time_ms);
  // Makes a run that begins with the first `turns` turns of the root as its history. It begins at this time, but not
  // before the time of this run; its deadline counts from there. Error: invalid_value.
  Result<AgentRun> fork(std::uint32_t turns, std::string id, std::int64_t time_ms = 0) const;

  // Returns what hooks said since the last call, as points of the run and texts, in their order.
  std::vector<std::pair<std::string, std::string>> take_verdicts();
  // Tells the run what a hook said at a point: the hook is not asked there. Error: invalid_value for another text.
  Result<void> recall_verdict(std::string_view point, std::string_view verdict);

  AgentOutcome outcome() const;
  AgentUsage usage() const;
  std::vector<std::pair<std::string, std::string>> journal() const;   // ids and values as EDN, sorted
  std::vector<TurnView> turns() const;
  // Returns TurnView::kind of a turn, from 1, or "" when there is no such turn.
  std::string_view turn_kind(std::uint32_t number) const;

  std::vector<std::byte> snapshot() const;      // the same state gives the same bytes
  std::string snapshot_json() const;

 private:
  explicit AgentRun(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm::loop
