#include "agents/chain/final_report.h"

#include <algorithm>
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

bool wants_feedback(const ChainOptions& options, const Plan* plan, bool is_success) {
  if (!options.policy.has_person) return false;
  if (!is_success || options.policy.user_confirmation >= kAsksForFeedback) return true;
  return plan != nullptr && std::any_of(plan->steps.begin(), plan->steps.end(), [&](const PlanStep& step) {
           return is_dangerous(step, step.args, options.policy.safety);
         });
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
  report["wantsFeedback"] = wants_feedback(options, plan, report.at("success").as_bool());
  return report;
}

}  // namespace ptcvm::chain
