#include "agents/chain/planning/revision.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// Returns whether the row is one of a step whose call went well, or that has no call, and whose checks failed.
bool has_failed_its_check(const PlanStep& step, const json::object& row) {
  if (member_text(row, "status") != "failed" || row.contains("broken")) return false;
  return step.type == StepType::System || (step.type == StepType::Action && row.contains("ms"));
}

std::set<std::string_view> ids_before(const Plan& plan, const PlanStep& step) {
  std::set<std::string_view> ids;
  for (const std::size_t on : step.depends_on) ids.insert(plan.steps[on].id);
  return ids;
}

// Returns whether a step would have the output that an earlier one had.
bool is_same_work(const Plan& before, const PlanStep& was, const Plan& after, const PlanStep& is) {
  if (was.type != is.type) return false;
  if (was.type == StepType::System) return ids_before(before, was) == ids_before(after, is);
  const bool is_same_call = was.tool == is.tool && was.args == is.args &&
                            (!was.tool.empty() || was.description == is.description);
  return is_same_call && !is.is_reset;
}

}  // namespace

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

std::optional<std::string> changed_check(const Plan& before, const json::array& rows, const Plan& after) {
  std::map<std::string, const json::object*, std::less<>> row_of;
  for (const json::value& row : rows) {
    if (const json::object* const object = row.if_object()) row_of[member_text(*object, "id")] = object;
  }
  for (const PlanStep& was : before.steps) {
    const auto row = row_of.find(was.id);
    if (row == row_of.end() || !has_failed_its_check(was, *row->second)) continue;
    const auto is = std::ranges::find(after.steps, was.id, &PlanStep::id);
    if (is == after.steps.end() || is->verification == was.verification) continue;
    if (!is_same_work(before, was, after, *is)) continue;
    return "REPLAN_CHANGES_CHECKS: step " + was.id + " failed its checks; they stay unless " +
           (was.type == StepType::System ? "it checks other steps" : "its arguments change or it says reset");
  }
  return std::nullopt;
}

}  // namespace ptcvm::chain
