#include "agents/chain/run/final_report.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/chain/plan/gate.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/report/report.h"
#include "agents/chain/report/step_results.h"
#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr double kAsksForFeedback = 0.8;

// Returns whether a revision made a dangerous call. Results in arguments are looked at as they were.
bool was_dangerous(const Plan& plan, const json::array& rows, const SafetyRules& rules) {
  std::map<std::string, json::value, std::less<>> values;
  for (const json::value& row : rows) {
    const json::value* const value = row.is_object() ? row.get_object().if_contains("value") : nullptr;
    if (value != nullptr) values[member_text(row.get_object(), "id")] = *value;
  }
  const auto made = made_calls(rows);
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) {
    return made.contains(step.id) && is_dangerous(step, args_with(step.args, values), rules);
  });
}

bool wants_feedback(const ChainOptions& options, const Planning& planning, std::uint32_t revision, bool is_success) {
  if (!options.policy.has_person) return false;
  if (!is_success || options.policy.user_confirmation >= kAsksForFeedback) return true;
  for (std::uint32_t one = 1; one <= revision; ++one) {
    const Plan* const plan = planning.plan(one);
    const json::array* const rows = planning.rows(one);
    if (plan != nullptr && rows != nullptr && was_dangerous(*plan, *rows, options.policy.safety)) return true;
  }
  return false;
}

// Adds what the steps of a revision have cost. A step that an earlier revision completed is in the rows of both.
void add_cost(const Plan& plan, const json::array& rows, std::set<std::string>& counted, TaskCost& cost) {
  std::map<std::string_view, const PlanStep*> steps;
  for (const PlanStep& step : plan.steps) steps.emplace(step.id, &step);
  for (const json::value& value : rows) {
    const json::object* const row = value.if_object();
    if (row == nullptr || !row->contains("ms") || !counted.insert(member_text(*row, "task")).second) continue;
    const auto step = steps.find(member_text(*row, "id"));
    const bool is_model = step != steps.end() && step->second->tool.empty();
    if (is_model) {
      cost.model_calls += member_count(*row, "modelCalls", 1);
      cost.tool_calls += member_count(*row, "toolCalls", 0);
    } else {
      ++cost.tool_calls;
    }
    if (row->contains("verdict")) cost.model_calls += read_usage(row->if_contains("judgeTokens")).calls;
    for (const char* const name : {"tokens", "judgeTokens"}) {
      const ModelUsage usage = read_usage(row->if_contains(name));
      cost.input_tokens += usage.input_tokens;
      cost.output_tokens += usage.output_tokens;
    }
  }
}

TaskCost cost_of(const Planning& planning, std::uint32_t revision) {
  TaskCost cost = planning.cost();
  std::set<std::string> counted;
  for (std::uint32_t one = 1; one <= revision; ++one) {
    const Plan* const plan = planning.plan(one);
    const json::array* const rows = planning.rows(one);
    if (plan != nullptr && rows != nullptr) add_cost(*plan, *rows, counted, cost);
  }
  return cost;
}

}  // namespace

json::object final_report(const json::object& request, const ChainOptions& options, const Planning& planning) {
  const std::string error = member_text(request, "error");
  const std::uint32_t revision = member_number(request, "revision");
  const json::value* const of = request.if_contains("of");
  const bool is_nothing = of != nullptr && *of == 0;
  const std::uint32_t told = of == nullptr ? revision : is_nothing ? 0 : member_number(request, "of");
  TaskEnd end{options.id, options.input, std::nullopt, {}};
  if (!error.empty()) end.error = error;
  std::vector<StepResult> results;
  const Plan* const plan = planning.plan(told);
  const json::array* const rows = planning.rows(told);
  if (plan != nullptr && rows != nullptr) results = step_results(*plan, *rows, options.verifier);
  std::vector<std::string> notes;
  if (const json::value* const list = request.if_contains("notes"); list != nullptr && list->is_array()) {
    for (const json::value& note : list->get_array()) notes.push_back(output_text(note));
  }
  TaskReport report = make_report(end, planning.intent(), std::move(results), notes);
  report.revision = revision;
  report.cost = cost_of(planning, revision);
  if (options.clock) report.created_ms = options.clock();
  report.wants_feedback = wants_feedback(options, planning, revision, report.success);
  return report_json(report);
}

}  // namespace ptcvm::chain
