#include "agents/chain/revision.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace ptcvm::chain {

std::optional<std::string> touched_step(const Plan& before, const std::vector<StepResult>& results, const Plan& after) {
  std::map<std::string_view, const PlanStep*> kept;
  for (const PlanStep& step : after.steps) kept.emplace(step.id, &step);
  for (std::size_t i = 0; i < before.steps.size() && i < results.size(); ++i) {
    if (results[i].status != StepStatus::Completed) continue;
    const PlanStep& step = before.steps[i];
    const auto found = kept.find(step.id);
    if (found == kept.end()) return "REPLAN_TOUCHES_COMPLETED: step " + step.id + " is completed and must stay";
    if (found->second->is_reset || step_json(before, step) != step_json(after, *found->second)) {
      return "REPLAN_TOUCHES_COMPLETED: step " + step.id + " is completed and must stay as it was";
    }
  }
  return std::nullopt;
}

}  // namespace ptcvm::chain
