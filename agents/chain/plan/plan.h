// A plan: steps with dependencies, risk, confirmation and criteria. What a model proposes becomes a plan by fixed
// rules, or is refused with a name that the model is told.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptcvm::chain {

class ToolSignatures;

enum class StepType { Thought, Action, System };
enum class RiskLevel { Low, Medium, High };

std::string_view step_type_name(StepType type);       // "thought", "action", "system"
std::string_view risk_level_name(RiskLevel level);    // "low", "medium", "high"

// Returns the risk of a tool by its name, for steps that say nothing about their risk.
RiskLevel usual_risk(std::string_view tool);

// The criterion of an action that has none.
inline constexpr std::string_view kDefaultCriterion = "Validate tool output for this step.";

struct PlanStep {
  std::string id;
  StepType type = StepType::Action;
  std::string description;
  std::string tool;                          // empty: none
  boost::json::object args;
  std::vector<std::size_t> depends_on;       // indices of earlier steps of the plan
  RiskLevel risk = RiskLevel::Low;
  bool requires_confirmation = false;
  std::vector<std::string> verification;
  bool is_reset = false;                     // in a later revision: do again what was done under the same arguments
};

struct Plan {
  std::vector<PlanStep> steps;
};

struct PlanError {
  std::string name;      // PLAN_INVALID, PLAN_CYCLE, PLAN_UNKNOWN_DEPENDENCY, PLAN_DUPLICATE_ID, PLAN_UNKNOWN_TOOL,
                         // PLAN_RESULT_NOT_UPSTREAM, PLAN_ARGUMENTS_INVALID, PLAN_TOO_LARGE
  std::string message;   // says which step, what is wrong with it, and what would be right
};

struct PlanRules {
  std::string task_id;                                        // for ids that the planner does not give
  std::optional<std::vector<std::string>> tools = std::nullopt;   // nullopt: every tool is known
  std::size_t most_steps = 1000;
  const ToolSignatures* signatures = nullptr;                 // nullptr: arguments are not checked
};

// Makes a plan of the steps that a planner proposed. An entry of dependsOn is the number of a step from 1, its id, or
// "prev". An empty list means that the step depends on nothing; a list that is absent means the step before. A step may
// only depend on steps before it.
std::variant<Plan, PlanError> make_plan(const boost::json::array& proposed, const PlanRules& rules);

// Reads the reply of a planner: {"steps": […]}, or the list alone.
std::variant<Plan, PlanError> read_plan(std::string_view model_text, const PlanRules& rules);

// Returns whether a part of the argument is {"$result": …}.
bool has_result(const boost::json::value& argument);
bool has_result(const boost::json::object& args);
// Returns the ids of the steps whose results are among the arguments; views into them.
std::vector<std::string_view> results_in(const boost::json::object& args);

// Returns for each step whether it is upstream of the step at that index.
std::vector<bool> upstream_of(const Plan& plan, std::size_t index);

boost::json::object step_json(const Plan& plan, const PlanStep& step);

}  // namespace ptcvm::chain
