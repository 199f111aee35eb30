#include <map>

#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/run/steps_run.h"
#include "agents/chain/text/json_member.h"
#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace json = boost::json;

json::array recorded_rows(const Store& store, const ChainOptions& options, const Plan& plan, std::uint32_t revision,
                          const PlanHistory& history) {
  const std::string& task_id = options.id;
  const ChainPolicy policy = policy_after(options.policy, history);
  json::array rows;
  const auto journal = store.journal(steps_run_id(task_id));
  if (!journal) return rows;
  std::map<std::string_view, const JournalTask*> known;
  for (const JournalTask& task : journal->tasks) known.emplace(task.id, &task);
  for (const PlanStep& step : plan.steps) {
    const auto kept = history.completed.find(step.id);
    std::string task = kept != history.completed.end()
                           ? kept->second
                           : task_id + '/' + step.id + '@' + std::to_string(revision);
    auto found = known.find(task);
    if (found == known.end() && is_settled_by_call(step, policy, options.verifier, history.trust)) {
      task = effect_key(step, task_id);
      found = known.find(task);
    }
    if (found == known.end()) continue;
    const auto value = Value::from_edn(found->second->value_edn);
    json::value row = value ? to_json(*value) : json::value();
    if (!row.is_object()) continue;
    if (!step_of_key(task, task_id).empty()) {
      if (row.get_object().contains("error") || member_number(row.get_object(), "revision") > revision) continue;
      row.get_object()["status"] = "completed";
    }
    row.get_object()["id"] = step.id;
    row.get_object()["task"] = std::move(task);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ptcvm::chain
