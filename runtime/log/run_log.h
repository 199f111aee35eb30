// Folds a log of facts into what it says about its run. Everything else is read from these folds. Add facts in the
// order of the log. Nothing is ever taken back; later facts only come on top.
//
// Keys, as the runtime writes them (a fact with another key, or with none, is read all the same):
//   task/ID#EPOCH       a task's value; a reset makes the next epoch
//   reset/ID#EPOCH      the reset of that epoch
//   intent/KEY#ATTEMPT  a tool is about to be called, KEY is its idempotency key
//   effect/KEY#ATTEMPT  what became of it, or that nobody knows
//   doubt/KEY#ATTEMPT   what a person said about it
//   operation/OP        an asynchronous operation was started
//   resolved/OP         its answer
//   judged/KEY          what a hook said about the call of that idempotency key
//   decided/KEY         what somebody decided about it
//   moved/ID            the run went to another store (run_move.h); no two departures have one ID
//   external/ID#VERSION a value from outside; a task of that id has it. The answer to an operation that waits for the
//                       signal of that name has such a key, too: a signal has one answer, by whatever name it is given
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/log/fact.h"
#include "runtime/text/mission_log.h"
#include "runtime/text/plan.h"
#include "schema/effect_class.h"
#include "vm/value/text_map.h"

namespace ptc {

std::string task_key(std::string_view id, std::uint64_t epoch);
std::string reset_key(std::string_view id, std::uint64_t epoch);
std::string intent_key(std::string_view idempotency_key, std::uint64_t attempt);
std::string effect_key(std::string_view idempotency_key, std::uint64_t attempt);
std::string doubt_key(std::string_view idempotency_key, std::uint64_t attempt);
std::string operation_key(std::string_view operation);
std::string resolved_key(std::string_view operation);
std::string judged_key(std::string_view idempotency_key);
std::string decided_key(std::string_view idempotency_key);
std::string external_key(std::string_view id, std::uint64_t version);

// Returns whether a run gives operations such ids: "op3", "op3.0.1".
bool is_named_by_run(std::string_view operation);

// What the log knows about the newest attempt of one intended call.
enum class EffectState : std::uint8_t {
  Intended,    // the tool may have been called
  Committed,   // the tool answered: value
  Failed,      // the tool said that it failed: text
  Partial,     // the call happened in part: value
  Pending,     // the call started the operation `value`
  InDoubt,     // somebody noted that the outcome is unknown
  NotDone,     // a person said that the call did not happen
  GivenUp,     // a person said that the call must not be tried again
  Reset,       // its task will be done again, so its outcome does not count
};
std::string_view effect_state_name(EffectState state);   // returns "intended" and so on, as in Fact::status
std::optional<EffectState> find_effect_state(std::string_view name);

struct LoggedEffect {
  std::string key;               // the idempotency key
  std::uint64_t attempt = 0;
  EffectState state{};
  std::string tool, args;
  EffectClass effect_class{};
  std::string task;
  std::string value, text, errors;   // errors: what the tool wrote to its standard error
  std::uint64_t ends_before = 0; // how often the run had ended before the intent
  std::uint64_t writer = 0;      // the token under which the intent was written
  std::int64_t settled_ms = 0;   // when it was learnt what became of the call; 0: not yet
  bool is_let_go = false;        // args, value and text are "": they are only in the store (RunLog::let_go)
};

struct LoggedOperation {
  std::string id, tool, args, task;
  std::string opened;            // the operation as JSON (Session::operation_json), as it was when it started
  bool is_opened = false;        // false when only the answer is known
  std::uint64_t epoch = 0;       // the epoch of its task when it was started
  std::int64_t opened_ms = 0;
  std::string status;            // "" while it waits, then ok, error or cancelled
  std::string value, text, source;
  std::uint64_t resolved_seq = 0;
  std::uint64_t ends_before = 0; // how often the run had ended before the answer
  std::vector<std::pair<std::uint64_t, std::string>> progress;   // seq and value of each report
  std::int64_t created_ms = 0;   // by the clock of the program
};

// What the log knows about a call that a hook did not simply allow (Approval in tools.h).
struct LoggedApproval {
  std::string key, tool, args;
  std::string state, text;       // "open", "changed", "denied"; "allowed" or "denied" once somebody decided
  bool is_decided = false;
};

// How a turn was begun last, which another process needs to run it again.
struct LoggedStart {
  std::string source, source_name, context;   // context: EDN, or ""
  std::string limits;                         // EDN, or ""
};

// A log may be long. So opening a run adds only its notable facts (store_rules.h), and the run looks the other facts up
// when it reaches the tasks and calls that they are about (LogWriter): recall() adds them out of order.
class RunLog {
 public:
  void add(const Fact& fact);
  // Adds an intent out of order, or its outcome: add the intent first. For an open call whose doubt was added before,
  // the intent is enough.
  void recall(const Fact& fact);
  // Forgets the texts of a fact that was added: the store has them. Commits of tasks, ends of calls and operations that
  // were opened have such texts. take_back() adds the texts of a call again. The texts of an operation
  // are not needed before the log is read anew; only the name of a signal stays.
  void let_go(const Fact& fact);
  // Returns how many bytes let_go() would forget.
  std::size_t bytes_to_let_go(const Fact& fact) const;
  void take_back(const Fact& intent, const Fact& settled);
  void skip_to(std::uint64_t head) { head_ = std::max(head_, head); }   // facts that were not added are looked up

  std::uint64_t head() const { return head_; }             // returns the place of the last added fact
  // Returns the turn of the last start, from 1, or 0 when the run never began. A turn that failed may be started again,
  // and its calls keep their keys.
  std::uint64_t turn() const { return turn_; }
  std::uint64_t ends() const { return end_seqs_.size(); }  // counts how often a turn ended
  bool is_over() const { return is_over_; }   // returns whether the last turn has ended and no turn began after it
  const std::optional<Fact>& last_end() const { return last_end_; }
  const std::optional<LoggedStart>& last_start() const { return last_start_; }
  // Returns whether somebody put a value, settled a doubt or reset a task after the last turn had ended. The program,
  // run again, may then have another result.
  bool has_news() const { return has_news_; }
  // Returns whether a host keeps facts of its own in the log, which only the host can read (decision 0024).
  bool has_host_facts() const { return has_host_facts_; }
  // Returns whether the log is a copy for reading (run_copy.h): no tool is called for it.
  bool is_copy() const { return is_copy_; }

  // Returns committed tasks and values from outside, in the order of their commits.
  const std::vector<LoggedTask>& tasks() const { return tasks_; }
  const LoggedTask* task(std::string_view id) const;       // returns null when it is missing or was reset
  std::uint64_t epoch(std::string_view id) const;          // counts from 1, one more with each reset
  // Returns the epoch of a task for a program of this turn that is where the log was at `seq` (0: at the top): resets
  // that the program reaches later do not count yet. The other function returns the value of the task in an epoch, or
  // null when there is none or it was let go.
  std::uint64_t epoch_at(std::string_view id, std::uint64_t seq) const;
  const std::string* value_in(std::string_view id, std::uint64_t epoch) const;
  // Returns the place of the last reset of a task by somebody else than the program, or 0.
  std::uint64_t reset_from_outside(std::string_view id) const {
    const auto at = outside_resets_.find(id);
    return at == outside_resets_.end() ? 0 : at->second;
  }
  // Returns whether this turn ended by a (return v) inside of the body of the task. It ends there again when it runs
  // again.
  bool returned_from(std::string_view id) const { return returned_from_.contains(id); }
  std::uint64_t turn_began() const { return turn_began_; }  // the place of its first start in the log
  std::uint64_t external_version(std::string_view id) const;   // the last one from outside, from 1, or 0
  const std::vector<LoggedApproval>& approvals() const { return approvals_; }   // sorted by the order of the questions
  const LoggedApproval* approval(std::string_view idempotency_key) const;   // returns null when the call was not judged
  // Returns whether a call of the body of a task happened or may have happened, and was not pure.
  bool has_effects(std::string_view task) const;
  const LoggedEffect* effect(std::string_view idempotency_key) const;
  const std::vector<LoggedEffect>& effects() const { return effects_; }   // in the order of their first intents
  // Returns calls of earlier claims that may or may not have happened, in the order of their intents: the calls of
  // processes that died. `token` is the present claim.
  std::vector<const LoggedEffect*> unsettled(std::uint64_t token) const;
  const std::vector<LoggedOperation>& operations() const { return operations_; }
  const LoggedOperation* operation(std::string_view id) const;
  // Returns the name of the signal that an operation waits for, or "" when it is no signal.
  static std::string signal_of(const LoggedOperation& operation);
  static bool is_signal(const LoggedOperation& operation);
  // Returns the last operation that waited for a signal and got an answer by its own id in this turn, or null. The
  // signal has its answer then, also when the answer is a failure.
  const LoggedOperation* answered_signal(std::string_view name) const;
  // Returns the last operation that the call of this name in the program (Operation::key) started.
  const LoggedOperation* operation_of(std::string_view call) const;
  // Returns the highest N of operations "opN" that were started before the last end. Later operations begin after it.
  std::uint64_t operations_before() const { return operations_before_; }
  // Returns how far the program had been told the log when it went on from its suspension `number` (from 1) since the
  // last end, or nullopt when it did not go on from there yet.
  std::optional<std::uint64_t> delivered(std::uint64_t number) const;
  // Returns the summaries of turns that ended well.
  const StepSummaries& summaries() const { return summaries_; }
  const std::optional<Plan>& plan() const { return plan_; }

 private:
  void commit(std::string_view id, const Fact& fact, std::string source);
  void put_external(const Fact& fact);
  void start_turn(const Fact& fact);
  void reset(const Fact& fact);
  void intend(const Fact& fact);
  void settle(const Fact& fact);
  void open(const Fact& fact);
  void resolve(const Fact& fact);
  void progress(const Fact& fact);
  void set_plan(const Fact& fact);
  void end_turn(const Fact& fact);
  void deliver(const Fact& fact);
  // These are in run_log_signals.cpp.
  void wait_for_signal(std::size_t at);
  void signal(std::string_view name);
  void settle_waiting(std::string_view name, const Fact& answer);
  void settle_operation(LoggedOperation& operation, const Fact& answer) const;
  void judge(const Fact& fact);
  void decide(const Fact& fact);

  std::uint64_t ends_before(std::uint64_t seq) const;

  std::uint64_t head_ = 0, turn_ = 0, turn_began_ = 0;
  std::vector<std::uint64_t> end_seqs_;
  TextMap<std::uint64_t> doubted_;          // the newest attempt of a call with a noted doubt
  bool is_over_ = false, has_news_ = false, has_host_facts_ = false, is_copy_ = false;
  std::optional<LoggedStart> last_start_;
  std::optional<Fact> last_end_;

  // An epoch that the program of this turn ended itself.
  struct PastEpoch {
    std::uint64_t epoch = 0, reset_seq = 0;
    std::optional<std::string> value;
  };

  std::vector<LoggedTask> tasks_;
  TextMap<std::size_t> task_index_;
  TextMap<std::uint64_t> epochs_, externals_, outside_resets_;
  TextMap<bool> returned_from_;                                    // the tasks of this turn
  TextMap<std::vector<PastEpoch>> past_epochs_;                    // the past epochs of tasks, rising
  TextMap<std::vector<std::size_t>> effects_of_task_;
  std::vector<LoggedEffect> effects_;                              // in the order of their first intents
  TextMap<std::size_t> effect_index_;
  std::vector<LoggedOperation> operations_;
  TextMap<std::size_t> operation_index_, operation_of_call_;
  TextMap<std::vector<std::size_t>> waiting_signals_;              // the key is the arguments
  TextMap<Fact> signal_answers_;                                   // the newest, by name; not those that failed
  std::uint64_t operations_before_ = 0, last_operation_ = 0;
  std::vector<std::uint64_t> deliveries_;                          // one for each suspension; 0 when there is none
  std::vector<LoggedApproval> approvals_;
  TextMap<std::size_t> approval_index_;
  StepSummaries summaries_;
  std::optional<Plan> plan_;
};

}  // namespace ptc
