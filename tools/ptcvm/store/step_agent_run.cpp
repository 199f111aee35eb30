#include "tools/ptcvm/store/step_agent_run.h"

#include "agents/chain/run/steps_run.h"

namespace ptcvm::cli {

// The name begins with the key of the call that the step makes: the run of the plan, with ~0 and ~1 as in a JSON
// pointer, and the task.
std::optional<std::string> task_of_step_agent(std::string_view run) {
  const std::size_t end = run.find("/task:");
  if (end == std::string_view::npos) return std::nullopt;
  std::string plan;
  for (std::size_t at = 0; at < end; ++at) {
    const bool is_escape = run[at] == '~' && at + 1 < end && (run[at + 1] == '0' || run[at + 1] == '1');
    plan += is_escape ? (run[at + 1] == '0' ? '~' : '/') : run[at];
    at += is_escape ? 1 : 0;
  }
  const std::string behind_task = chain::steps_run_id({});
  if (!plan.ends_with(behind_task)) return std::nullopt;
  return plan.substr(0, plan.size() - behind_task.size());
}

std::string no_agent_text(const std::string& run) {
  const auto task = task_of_step_agent(run);
  return task ? run + " is the agent of a step of the task " + *task + "; see ptcvm chain show"
              : "the store has no agent " + run + " that `ptcvm agent run` began";
}

}  // namespace ptcvm::cli
