// What a log of facts says about its run: the folds that everything else is read from. Facts are added in the order of
// the log; nothing is ever taken back, later facts only come on top.
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
//   external/ID#VERSION a value from outside; a task of that id has it
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

// What is known of one intended call: the newest attempt.
enum class EffectState : std::uint8_t {
  Intended,    // the tool may have been called
  Committed,   // it answered: value
  Failed,      // it said that it failed: text
  Partial,     // it happened in part: value
  Pending,     // it started the operation `value`
  InDoubt,     // somebody noted that it is not known
  NotDone,     // a person said that it did not happen
  GivenUp,     // a person said that it shall not be tried again
  Reset,       // its task is to be done again: what it came to counts no more
};
std::string_view effect_state_name(EffectState state);   // "intended" and so on, as in Fact::status
std::optional<EffectState> find_effect_state(std::string_view name);

struct LoggedEffect {
  std::string key;               // idempotency key
  std::uint64_t attempt = 0;
  EffectState state{};
  std::string tool, args;
  EffectClass effect_class{};
  std::string task;
  std::string value, text;
  std::uint64_t ends_before = 0; // of the intent: how often the run had ended by then
  std::uint64_t writer = 0;      // token under which the intent was written
  std::int64_t settled_ms = 0;   // when it was learnt what became of the call; 0: not yet
};

struct LoggedOperation {
  std::string id, tool, args, task;
  std::string opened;            // the operation as JSON (Session::operation_json), as it was when it was started
  bool is_opened = false;        // else only its answer is known
  std::uint64_t epoch = 0;       // of its task, when it was started
  std::int64_t opened_ms = 0;
  std::string status;            // "" while it waits; then ok, error, cancelled
  std::string value, text, source;
  std::uint64_t resolved_seq = 0;
  std::uint64_t ends_before = 0; // of the answer: how often the run had ended by then
  std::vector<std::pair<std::uint64_t, std::string>> progress;   // seq and value of each report
  std::int64_t created_ms = 0;   // by the program's clock
};

// What is known of a call that a hook did not simply allow (Approval in tools.h).
struct LoggedApproval {
  std::string key, tool, args;
  std::string state, text;       // "open", "changed", "denied"; "allowed" or "denied" once somebody decided
  bool is_decided = false;
};

// How a turn was begun last: what another process needs to run it again.
struct LoggedStart {
  std::string source, source_name, context;   // context: EDN, or ""
  std::string limits;                         // EDN, or ""
};

// A log may be long, so a run that is opened adds only its notable facts (store_rules.h) and looks the others up when
// it comes to the tasks and calls that they are about (LogWriter): recall() adds them out of their order.
class RunLog {
 public:
  void add(const Fact& fact);
  // Adds an intent out of its order, or what became of it: the intent first. Of an open call whose doubt was added
  // before it, the intent is enough.
  void recall(const Fact& fact);
  void skip_to(std::uint64_t head) { head_ = std::max(head_, head); }   // what was not added is looked up

  std::uint64_t head() const { return head_; }             // of the last fact that was added
  // Of the last start, from 1; 0: it never began. A turn that failed may be started again: its calls keep their keys.
  std::uint64_t turn() const { return turn_; }
  std::uint64_t ends() const { return end_seqs_.size(); }  // how often a turn ended
  bool is_over() const { return is_over_; }                // the last turn has ended, and none began after it
  const std::optional<Fact>& last_end() const { return last_end_; }
  const std::optional<LoggedStart>& last_start() const { return last_start_; }
  // Whether somebody put a value, settled a doubt or reset a task after the last turn had ended: the program, run
  // again, may come to something else.
  bool has_news() const { return has_news_; }

  // Committed tasks and values from outside, in the order of their commits.
  const std::vector<LoggedTask>& tasks() const { return tasks_; }
  const LoggedTask* task(std::string_view id) const;       // null: not there, or reset
  std::uint64_t epoch(std::string_view id) const;          // from 1; grows with each reset
  // The epoch of a task for a program of this turn that is where the log was at `seq` (0: at the top): resets that it
  // comes to later do not count yet. And what the task came to in an epoch; null: nothing.
  std::uint64_t epoch_at(std::string_view id, std::uint64_t seq) const;
  const std::string* value_in(std::string_view id, std::uint64_t epoch) const;
  // Whether this turn was ended by a (return v) inside of the task's body: it ends there again when it runs again.
  bool returned_from(std::string_view id) const { return returned_from_.contains(id); }
  std::uint64_t turn_began() const { return turn_began_; }  // its first start, as a place in the log
  std::uint64_t external_version(std::string_view id) const;   // of the last value from outside, from 1; 0: none
  const std::vector<LoggedApproval>& approvals() const { return approvals_; }   // in the order of the questions
  const LoggedApproval* approval(std::string_view idempotency_key) const;       // null: it was not judged
  // Whether one of the calls of a task's body happened or may have happened, and was no pure one.
  bool has_effects(std::string_view task) const;
  const LoggedEffect* effect(std::string_view idempotency_key) const;
  const std::vector<LoggedEffect>& effects() const { return effects_; }   // in the order of their first intents
  // Calls of earlier claims of which nobody knows whether they happened, in the order of their intents: what was left
  // by processes that died. `token` is the claim of now.
  std::vector<const LoggedEffect*> unsettled(std::uint64_t token) const;
  const std::vector<LoggedOperation>& operations() const { return operations_; }
  const LoggedOperation* operation(std::string_view id) const;
  // The last one that the call of this name in the program (Operation::key) started.
  const LoggedOperation* operation_of(std::string_view call) const;
  // The highest N of operations "opN" that were started before the last end: later ones begin after it.
  std::uint64_t operations_before() const { return operations_before_; }
  // How far the log had been told to the program when it went on from its suspension `number` (from 1) since the last
  // end; nothing: it did not go on from there yet.
  std::optional<std::uint64_t> delivered(std::uint64_t number) const;
  // Of turns that ended well.
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
  void signal(std::string_view name);
  void judge(const Fact& fact);
  void decide(const Fact& fact);

  std::uint64_t ends_before(std::uint64_t seq) const;

  std::uint64_t head_ = 0, turn_ = 0, turn_began_ = 0;
  std::vector<std::uint64_t> end_seqs_;
  TextMap<std::uint64_t> doubted_;          // the newest attempt of a call of which a fact says that nobody knows
  bool is_over_ = false, has_news_ = false;
  std::optional<LoggedStart> last_start_;
  std::optional<Fact> last_end_;

  // An epoch that the program of this turn ended itself.
  struct PastEpoch {
    std::uint64_t epoch = 0, reset_seq = 0;
    std::optional<std::string> value;
  };

  std::vector<LoggedTask> tasks_;
  TextMap<std::size_t> task_index_;
  TextMap<std::uint64_t> epochs_, externals_;
  TextMap<bool> returned_from_;                                    // tasks of this turn
  TextMap<std::vector<PastEpoch>> past_epochs_;                    // of tasks; rising
  TextMap<std::vector<std::size_t>> effects_of_task_;
  std::vector<LoggedEffect> effects_;                              // in the order of their first intents
  TextMap<std::size_t> effect_index_;
  std::vector<LoggedOperation> operations_;
  TextMap<std::size_t> operation_index_, operation_of_call_;
  TextMap<std::vector<std::size_t>> waiting_signals_;              // by their arguments
  std::uint64_t operations_before_ = 0, last_operation_ = 0;
  std::vector<std::uint64_t> deliveries_;                          // by suspension; 0: none
  std::vector<LoggedApproval> approvals_;
  TextMap<std::size_t> approval_index_;
  StepSummaries summaries_;
  std::optional<Plan> plan_;
};

}  // namespace ptc
