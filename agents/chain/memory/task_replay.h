// Runs a task again against its own log: what models, tools and people said comes from the log, and nothing is called.
// With the same plan and the same rules every answer is there. With another plan or another strategy, what the log has
// no answer for is a miss with a name.
#pragma once
#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/chain.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::chain {

// Something that the replay asked for and that the log does not have.
struct ReplayMiss {
  std::string what;      // "tool", "agent", "confirm", "verify", "plan", "replan", "intent"
  std::string step;      // the id of the step, or ""
  std::string detail;    // what was asked: a call with its arguments, a signature, a revision
};

struct TaskReplay {
  boost::json::object report, recorded;   // what the replay gave; the last one in the log
  std::vector<ReplayMiss> misses;
  std::vector<std::string> unused;        // tasks of calls that the log has and the replay did not make
  bool is_same = false;                   // the reports are the same, apart from the time at which they were made
  std::size_t dangerous_calls = 0, questions = 0;
};

// Replays the task of options.id from the logs of `recorded`, in memory. `plan` is the reply of the planner in the
// first revision; "" is the recorded one. The options say by which rules. Errors: store_failed; wrong_state when the
// store has no such task, or the task did not end; what ChainRun returns.
Result<TaskReplay> replay_task(const Engine& engine, const Store& recorded, ChainOptions options,
                               std::string_view plan = {});

// Returns how good a replay is, from 0 to 1, as an example of a fold of replays: whether the task ended well, how like
// the recorded result its result is, its time, steps, dangerous calls and questions, how many steps were checked, and
// whether it has left the recording. docs/task-chain.md has the weights.
double replay_score(const TaskReplay& replay);

}  // namespace ptcvm::chain
