#include "agents/chain/planning/prompts.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::string_view kIntent =
    "Say what the person wants. Answer with one JSON object and nothing else: category (query, action, script), "
    "summary, complexity (simple, medium, complex), goal, deliverables, constraints, successCriteria, assumptions, "
    "requiredTools (lists of texts).\n\n";

constexpr std::string_view kPlan =
    "Make a plan. Answer with one JSON object and nothing else: {\"steps\": [...]}. A step has id (letters, digits, _ "
    "and -), type (action, thought, system), description, tool, args, dependsOn (ids of earlier steps; [] for none), "
    "riskLevel (low, medium, high), requiresConfirmation, verification (a list). An argument {\"$result\": \"s1\", "
    "\"path\": [\"a\", 0]} is the output of an earlier step, or a part of it. Criteria: contains:TEXT, "
    "not_contains:TEXT, regex:PATTERN, min_length:N, pointer:/a/0=JSON, schema:JSON, predicate:PROGRAM (PTC-Lisp over "
    "data/output and data/value), nonempty, json, path.\n\n";

std::string tools_text(const std::vector<ChainTool>& tools) {
  std::string text = "Tools:\n";
  for (const ChainTool& tool : tools) {
    text += "- " + tool.name + ' ' + tool.signature;
    if (!tool.description.empty()) text += ": " + tool.description;
    text += '\n';
  }
  return text;
}

std::string plan_text(const Plan& plan) {
  json::array steps;
  for (const PlanStep& step : plan.steps) steps.push_back(step_json(plan, step));
  return json::serialize(json::object{{"steps", std::move(steps)}});
}

}  // namespace

std::string intent_prompt(std::string_view input) { return std::string(kIntent) + "Request: " + std::string(input); }

std::string plan_prompt(const PlanPrompt& prompt, const std::vector<ChainTool>& tools) {
  std::string text(kPlan);
  text += tools_text(tools);
  text += "\nRequest: " + std::string(prompt.input) + "\nIntent: " + std::string(prompt.intent) +
          "\nContext: " + std::string(prompt.context) + '\n';
  if (prompt.before != nullptr) {
    text += "\nThis plan has failed. Change only the steps that failed and the steps that depend on them; repeat all "
            "other steps as they are. Give {\"steps\": []} when nothing else can be tried.\nPlan: " +
            plan_text(*prompt.before) + "\nResults: " + std::string(prompt.results) + '\n';
  }
  if (!prompt.wish.empty()) text += "\nThe person asks for another plan and says: " + std::string(prompt.wish) + '\n';
  if (!prompt.problem.empty()) text += "\nYour last reply was no plan: " + std::string(prompt.problem) + '\n';
  return text;
}

std::string judge_prompt(const std::vector<std::string>& criteria, std::string_view output) {
  std::string text = "Does the output meet each criterion? Answer with a JSON list of true and false, one for each, "
                     "and nothing else.\n\nCriteria:\n";
  for (const std::string& criterion : criteria) text += "- " + criterion + '\n';
  return text + "\nOutput:\n" + std::string(output);
}

}  // namespace ptcvm::chain
