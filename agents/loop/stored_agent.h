// An agent whose run survives its process. Everything that the run is told is a fact in a log of the host (decision
// 0024), written before the run goes on; so the run can be made again from its log, and a request or a call is in the
// log before the host makes it.
//
//   auto stored = StoredAgent::open(agent, store, {.start = {.id = "orders-7", .data_json = data}});
//   while (*stored->step() == AgentState::Waiting)
//     for (const Operation& op : stored->take_orders()) …     // make it, then resolve_model() or resolve()
//   stored->park();
//
// After the death of a process open() finds out what was under way: a request whose reply is not in the log is charged
// and asked again; a call of a tool that may be repeated is handed out again; a call that may not becomes a doubt,
// which a person settles. One thread at a time uses the object. It holds a claim on the log until it is destroyed or
// parked.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {

// Places at which a process can die, for tests.
enum class StoredPoint : std::uint8_t {
  OrdersRecorded,   // requests and calls are in the log, and the host has not seen them
  ReplyRecorded,    // the reply of a model is in the log
  AnswerRecorded,   // the answer of a tool, or of a person, is in the log
  TurnEnded,        // a program has ended, and its turn is not in the log
};

struct StoredAgentOptions {
  AgentStart start = {};                          // for a run that begins; a run that was begun needs only the id
  std::string owner = {};                         // who claims the log; "" is this process
  std::int64_t lease_ms = 60'000;
  std::function<std::int64_t()> clock = {};       // ms since 1970; without it AgentStart::time_ms is the time
  // The owner of a tool says what may be done with a call whose outcome nobody knows. nullopt, or no function: the
  // class in the definition of the agent counts.
  std::function<std::optional<Effect>(std::string_view tool)> effect_of = {};
  // true: a request that a process sent and whose reply nobody has is sent again under its key, and not paid twice.
  // Such a model keeps requests, as a mailbox does. Otherwise the request is given up and counted, and another one is
  // sent.
  std::function<bool(std::string_view agent)> keeps_requests = {};
  // Returns the agent with the models that answered at this place of the log; nullopt, or no function: the agent that
  // goes on now. What the log has of other models is then read as theirs.
  std::function<std::optional<Agent>(std::uint64_t seq)> agent_at = {};
  std::function<void(StoredPoint)> at_point = {}; // is called at each point; an exception leaves the log as it is
};

// What somebody who has no claim tells a run. It is kept in the log, wakes the run, and is heard when the run goes on.
struct AgentMail {
  enum class Kind : std::uint8_t {
    Resolve,   // `path` and `text`: an operation and its value, as EDN
    Reject,    // `path` and `text`: an operation and why not
    Raise,     // `path` and `by`: a limit, and how much is added
    Say,       // `text`: what the user says next
    End,       // the session is over when nothing is open any more
  };
  Kind kind{};
  std::string path = {}, text = {};
  std::uint64_t by = 0;
};

// How a run is left.
struct AgentParking {
  bool is_soon = false;                           // somebody goes on at once, because its orders are not made yet
  // A run that has ended is a session: it waits so long for what the user says next, and is over then.
  std::optional<std::int64_t> idle_ms = {};
};

enum class AgentLeft : std::uint8_t {
  Arrived,   // not left: something has come meanwhile, and the caller goes on with step()
  Parked,
  Ended,
};

class StoredAgent {
 public:
  // Begins a run, or goes on with the one that the store has. Errors: busy when another process has it; refused when
  // the store has the run of another definition (stored_definition() returns it); store_failed.
  static Result<StoredAgent> open(const Agent& agent, const Store& store, StoredAgentOptions options);
  // Returns the definition of a run as JSON, or nullopt when the store has no such run.
  static Result<std::optional<std::string>> stored_definition(const Store& store, const std::string& id);
  // Begins a run under a new id with the first turns of this one as its history.
  Result<void> fork(const Store& store, std::uint32_t turns, const std::string& id) const;

  const AgentRun& run() const { return *run_; }
  // Grows with each claim of the log, so that a tool can refuse a caller who has lost it.
  std::uint64_t fencing_token() const { return token_; }
  // Goes on from a document of the same state, as another process would.
  Result<void> restore(const Agent& agent, std::span<const std::byte> document);

  // Runs programs until everything waits, and records the requests and calls that come out. Error: store_failed.
  Result<AgentState> step();
  // Returns the requests and calls that the host has to make now. Each is returned once.
  std::vector<Operation> take_orders();

  // Does what AgentRun::chunk() does. Nothing is recorded before the whole reply.
  void chunk(std::string_view path, std::string_view bytes);

  // Record and do what AgentRun does. A call that AgentRun refuses is not recorded. The first answer of an order that
  // the run has given up in the meantime changes nothing, and is no error.
  Result<void> resolve_model(std::string_view path, const ModelReply& reply);
  Result<void> defer_model(std::string_view path, std::int64_t due_ms);
  Result<void> resolve(std::string_view path, ValueView value);
  Result<void> reject(std::string_view path, std::string_view why);
  Result<void> pend(std::string_view path);
  Result<void> doubt(std::string_view path);
  Result<void> begin_call(std::string_view path);   // the answer comes as for other calls, by resolve() and the like
  Result<void> input(std::string_view text);
  Result<void> raise(std::string_view limit, std::uint64_t by);
  Result<void> lower(std::string_view limit, std::uint64_t most);   // records nothing when the limit is low enough
  Result<void> advance();                         // takes over the time of the clock

  // Leaves the log: parked when the run waits, or ended. The object must not be used afterwards.
  Result<AgentLeft> park(const AgentParking& how = {});

  // Puts mail into the log of a run, without a claim. What the run does not wait for is refused when the run hears it,
  // and changes nothing. Error: store_failed.
  static Result<void> tell(const Store& store, const std::string& id, const AgentMail& mail, std::int64_t now_ms);

 private:
  StoredAgent(HostLog log, StoredAgentOptions options) : log_(std::move(log)), options_(std::move(options)) {}
  Result<void> load(const Agent& agent);
  Result<void> begin(const Agent& agent);
  Result<void> hear_early_mail(std::uint64_t started);
  Result<std::uint64_t> first_unheard() const;
  Agent agent_at(std::uint64_t seq) const;
  Result<void> ask_as_at(const HostFact& fact);
  Result<void> recall_intents();
  Result<void> catch_up();
  Result<std::vector<HostFact>> read_page(std::uint64_t after);
  Result<void> settle_lost_orders();
  Result<void> apply(const HostFact& fact);
  Result<void> record(HostFact fact, StoredPoint point);
  bool is_in_doubt_without_answer(const Operation& call) const;
  std::optional<std::string> doubt_of(std::string_view path) const;
  bool waits_for(const std::string& path) const;
  Result<void> record_answer(std::string_view path, HostFact fact, StoredPoint point);
  Result<AgentLeft> park_waiting(const AgentParking& how, bool is_over);
  HostFact fact(HostFactClass fact_class, std::string name, std::string key, std::string body) const;
  std::int64_t now() const;
  void reach(StoredPoint point) const;

  HostLog log_;
  StoredAgentOptions options_;
  std::uint64_t token_ = 0, seen_ = 0;            // the claim; the last fact that the run knows
  std::optional<Agent> agent_;
  std::optional<AgentRun> run_;
  std::set<std::string> intents_;                 // keys of orders in the log
  std::set<std::string> taken_;                   // keys of orders that this process has handed out
  std::set<std::string, std::less<>> at_work_;    // paths of orders that were handed out and not answered
  std::uint32_t recorded_turns_ = 0;
  bool is_closed_ = false;                        // somebody has said that the session is over
  std::optional<std::int64_t> idle_until_;        // the session is over then, when nothing comes
};

// What a host does for a run. Each function may take as long as it wants.
class AgentDriver {
 public:
  virtual ~AgentDriver() = default;
  virtual ModelReply ask(const Operation& request) = 0;
  // Calls a tool: a value, an error of the tool, or nullopt when the call started something that ends later.
  virtual std::optional<Result<Value>> call(const Operation& call) = 0;
  virtual std::int64_t time_ms() = 0;
  // Waits for the time of a timer. Returns false when the run should be left instead; without an override it is.
  virtual bool wait_until(std::int64_t due_ms) { return (void)due_ms, false; }
  // Is called before the run goes on. A driver that must leave the run throws here: nothing is under way.
  virtual void before_step() {}
  // Returns when a request may go out, or 0 when it may go out now.
  virtual std::int64_t due_ms(const Operation& request) { return (void)request, 0; }
};

// Does what a run asks for with the driver, until it has ended or only people and time can go on with it. The caller
// parks it.
Result<void> drive_stored(StoredAgent& stored, AgentDriver& driver);
// Opens a run, does what it asks for with the driver, and parks it when only people or time can go on with it. It is
// always right to call it again with the same id.
Result<AgentOutcome> run_agent_stored(const Agent& agent, const Store& store, AgentDriver& driver,
                                      const AgentStart& start);

}  // namespace ptcvm::loop
