#include "agents/chain/final_report.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/chain/gate.h"
#include "agents/chain/json_member.h"
#include "agents/chain/report.h"
#include "agents/chain/step_results.h"
#include "agents/chain/step_values.h"

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

}  // namespace

json::object final_report(const json::object& request, const ChainOptions& options, const Planning& planning) {
  const std::string error = member_text(request, "error");
  const std::uint32_t revision = member_number(request, "revision");
  TaskEnd end{options.id, options.input, std::nullopt, {}};
  if (!error.empty()) end.error = error;
  std::vector<StepResult> results;
  const Plan* const plan = planning.plan(revision);
  const json::array* const rows = planning.rows(revision);
  if (plan != nullptr && rows != nullptr) results = step_results(*plan, *rows, options.verifier);
  std::vector<std::string> notes;
  if (const json::value* const list = request.if_contains("notes"); list != nullptr && list->is_array()) {
    for (const json::value& note : list->get_array()) notes.push_back(output_text(note));
  }
  json::object report = report_json(make_report(end, planning.intent(), std::move(results), notes));
  report["revision"] = revision;
  report["task"] = error.empty() ? "completed" : "failed";
  report["error"] = error.empty() ? json::value() : json::value(error);
  report["wantsFeedback"] = wants_feedback(options, planning, revision, report.at("success").as_bool());
  return report;
}

}  // namespace ptcvm::chain
