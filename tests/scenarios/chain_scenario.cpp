// Cases of the task chain. `kind` says what is tried; "T" is the id of the task and "V" the usual criterion.
#include "agents/chain/check/verification.h"
#include "agents/chain/plan/intent.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/report/report.h"
#include "agents/chain/risk/risk.h"
#include "agents/chain/run/feedback.h"
#include "tests/scenarios/case_json.h"
#include "tests/scenarios/chain_fixture.h"
#include "tests/scenarios/scenario_kind.h"

namespace ptcvm::scenarios {

namespace {

namespace json = boost::json;

Why intent_case(const json::object& given, const json::object& then) {
  if (auto why = only(then, {"profile"})) return why;
  const json::value* const input = given.if_contains("input");
  const auto read = chain::read_intent(text(given.at("text")));
  const json::object got =
      chain::intent_json(read ? *read : chain::intent_of_input(input == nullptr ? "" : text(*input)));
  for (const auto& [name, expected] : then.at("profile").as_object()) {
    const json::value* const member = got.if_contains(name);
    if (auto why = differs(name, expected, member == nullptr ? json::value() : *member)) return why;
  }
  return std::nullopt;
}

json::array plan_row(const chain::Plan& plan, const chain::PlanStep& step) {
  const json::object object = chain::step_json(plan, step);
  json::array criteria;
  for (const std::string& criterion : step.verification) {
    criteria.emplace_back(criterion == chain::kDefaultCriterion ? "V" : criterion);
  }
  return {object.at("id"),        object.at("type"),
          object.at("dependsOn"), object.at("riskLevel"),
          step.requires_confirmation, std::move(criteria)};
}

Why normalize_case(const json::object& given, const json::object& then) {
  if (auto why = only(then, {"rows", "deps", "error"})) return why;
  const auto made = chain::make_plan(given.at("steps").as_array(), {.task_id = "T"});
  const auto* const error = std::get_if<chain::PlanError>(&made);
  if (const json::value* const expected = then.if_contains("error")) {
    return differs("error", *expected, error == nullptr ? json::value() : json::value(error->name));
  }
  if (error != nullptr) return error->name + ": " + error->message;
  json::array rows, deps;
  for (const chain::PlanStep& step : std::get<chain::Plan>(made).steps) {
    rows.push_back(plan_row(std::get<chain::Plan>(made), step));
    deps.push_back(rows.back().at(2));
  }
  if (const json::value* const expected = then.if_contains("rows")) {
    if (auto why = differs("rows", *expected, rows)) return why;
  }
  if (const json::value* const expected = then.if_contains("deps")) return differs("deps", *expected, deps);
  return std::nullopt;
}

Why verify_case(const json::object& given, const json::object& then, chain::CheckMode mode) {
  if (auto why = only(then, {"rows"})) return why;
  if (const json::value* const named = given.if_contains("mode")) {
    mode = text(*named) == "heuristic" ? chain::CheckMode::Heuristic : chain::CheckMode::Grammar;
  }
  for (const json::value& row : then.at("rows").as_array()) {
    if (row.as_array().size() != 3) return "not a criterion, an output and a verdict: " + json::serialize(row);
    const chain::CheckResult result = chain::check_output(text(row.at(0)), text(row.at(1)), mode);
    const json::value got = result == chain::CheckResult::Pending ? json::value("pending")
                                                                  : json::value(result == chain::CheckResult::Passed);
    if (auto why = differs(json::serialize(row), row.at(2), got)) return why;
  }
  return std::nullopt;
}

Why risk_case(const json::object& given, const json::object& then) {
  if (auto why = only(then, {"rows"})) return why;
  const json::object& safety = given.at("safety").as_object();
  if (auto why = only(safety, {"userDataDirs", "systemDirs", "allowPaths", "denyPaths"})) return why;
  chain::SafetyRules rules;
  if (auto folders = texts(safety, "userDataDirs"); !folders.empty()) rules.user_data_dirs = std::move(folders);
  rules.system_dirs = texts(safety, "systemDirs");
  rules.allow_paths = texts(safety, "allowPaths");
  rules.deny_paths = texts(safety, "denyPaths");
  rules.external_tools = texts(given, "external");
  for (const json::value& row : then.at("rows").as_array()) {
    const auto risk = chain::assess_risk(text(row.at(0)), row.at(1).as_object(), rules);
    if (auto why = differs(json::serialize(row), row.at(2), risk.is_high ? "high" : "low")) return why;
    if (row.as_array().size() < 4) continue;
    if (row.as_array().size() > 4) return "not a tool, arguments, a level and a signature: " + json::serialize(row);
    if (auto why = differs(json::serialize(row), row.at(3), json::value(risk.signature))) return why;
  }
  return std::nullopt;
}

Why feedback_case(const json::object&, const json::object& then) {
  if (auto why = only(then, {"rows", "none_for"})) return why;
  const auto member = [](const std::optional<std::string>& text) { return text ? json::value(*text) : json::value(); };
  for (const json::value& row : then.at("rows").as_array()) {
    if (row.as_array().size() != 3) return "not a reply, a rating and a comment: " + json::serialize(row);
    const auto read = chain::read_feedback(text(row.at(0)));
    if (!read) return json::serialize(row) + ": read as no feedback";
    if (auto why = differs(json::serialize(row), row.at(1), member(read->rating))) return why;
    if (auto why = differs(json::serialize(row), row.at(2), member(read->comment))) return why;
  }
  for (const std::string& reply : texts(then, "none_for")) {
    if (chain::read_feedback(reply)) return "feedback out of \"" + reply + '"';
  }
  return std::nullopt;
}

std::string member_text(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found == nullptr || !found->is_string() ? "" : text(*found);
}

chain::StepResult result_of(const json::object& row) {
  chain::StepResult result;
  result.step_id = text(row.at("stepId"));
  const std::string status = text(row.at("status"));
  result.status = status == "completed" ? chain::StepStatus::Completed
                  : status == "failed"  ? chain::StepStatus::Failed
                                        : chain::StepStatus::Skipped;
  result.output = member_text(row, "output");
  result.error = member_text(row, "error");
  result.has_failed_check = member_text(row, "verificationStatus") == "failed";
  return result;
}

Why report_case(const json::object& given, const json::object& then) {
  const json::object& task = given.at("task").as_object();
  chain::TaskEnd end{text(task.at("id")), text(task.at("description")), std::nullopt, member_text(task, "result")};
  if (member_text(task, "status") == "failed") end.error = member_text(task, "result");
  chain::IntentProfile intent;
  if (const json::value* const profile = given.if_contains("intent")) {
    intent.summary = member_text(profile->as_object(), "summary");
    intent.goal = member_text(profile->as_object(), "goal");
  }
  std::vector<chain::StepResult> results;
  if (const json::value* const rows = given.if_contains("results")) {
    for (const json::value& row : rows->as_array()) results.push_back(result_of(row.as_object()));
  }
  const json::object got = chain::report_json(chain::make_report(end, intent, std::move(results)));
  for (const auto& [name, expected] : then) {
    const json::value* const member = got.if_contains(name);
    if (member == nullptr) return "unknown member: " + std::string(name);
    if (auto why = differs(name, expected, *member)) return why;
  }
  return std::nullopt;
}

}  // namespace

Why chain_scenario(const json::object& scenario, const ScenarioStore& store) {
  static const json::object kNothing;
  const std::string kind = text(scenario.at("kind"));
  const std::string id = text(scenario.at("id"));
  const json::value* const found = scenario.if_contains("given");
  const json::object& given = found == nullptr ? kNothing : found->as_object();
  const json::object& then = scenario.at("then").as_object();
  const bool is_heuristic = id.starts_with("C-15") || id.starts_with("C-16");
  if (kind == "intent") return intent_case(given, then);
  if (kind == "normalize") return normalize_case(given, then);
  if (kind == "verify") {
    return verify_case(given, then, is_heuristic ? chain::CheckMode::Heuristic : chain::CheckMode::Grammar);
  }
  if (kind == "risk") return risk_case(given, then);
  if (kind == "feedback") return feedback_case(given, then);
  if (kind == "report") return report_case(given, then);
  if (kind == "run") return chain_run_case(given, then, store);
  return "there is no kind \"" + kind + "\" of cases";
}

}  // namespace ptcvm::scenarios
