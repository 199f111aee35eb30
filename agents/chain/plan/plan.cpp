#include "agents/chain/plan/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "agents/chain/plan/tool_signatures.h"
#include "agents/chain/text/ascii_text.h"
#include "agents/chain/text/model_json.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kMostIdLength = 64, kMostCriteria = 100;
constexpr std::array<std::string_view, 12> kHighRiskTools = {
    "shell_execute", "fs_write_file", "fs_delete_file", "fs_delete_directory", "fs_move_file", "fs_copy_file",
    "fs_archive",    "fs_unarchive",  "fs_move",        "fs_copy",             "git_push",     "browser_upload"};

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kMostIdLength && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// A path is made of names and of places from 0.
bool is_path(const json::value& path) {
  return path.is_array() && std::all_of(path.get_array().begin(), path.get_array().end(), [](const json::value& part) {
           return part.is_string() || (part.is_int64() && part.get_int64() >= 0);
         });
}

// Returns whether a number was too large for JSON of any reader, such as 1e999.
bool has_endless_number(const json::value& value) {
  if (value.is_double()) return !std::isfinite(value.get_double());
  if (value.is_array()) return std::ranges::any_of(value.get_array(), has_endless_number);
  return value.is_object() && std::ranges::any_of(value.get_object(), [](const auto& member) {
           return has_endless_number(member.value());
         });
}

// Makes one plan, step by step; the first error ends it.
class PlanMaker {
 public:
  PlanMaker(const json::array& proposed, const PlanRules& rules) : proposed_(proposed), rules_(rules) {}
  std::variant<Plan, PlanError> make();

 private:
  bool fail(std::string_view name, std::size_t index, std::string_view what);
  bool read_step(std::size_t index);
  bool read_type(std::size_t index, const json::object& step, PlanStep& made);
  bool read_tool(std::size_t index, const json::object& step, PlanStep& made);
  bool read_risk(std::size_t index, const json::object& step, PlanStep& made);
  bool read_verification(std::size_t index, const json::object& step, PlanStep& made);
  bool read_dependencies(std::size_t index, const json::object& step, PlanStep& made);
  bool add_dependency(std::size_t index, const json::value& entry, PlanStep& made);
  bool add_number(std::size_t index, double number, PlanStep& made);
  bool add_text(std::size_t index, std::string_view text, PlanStep& made);
  bool depend(std::size_t index, std::size_t on, PlanStep& made);
  std::string numbered_id(std::size_t index) const {
    return "step-" + rules_.task_id + '-' + std::to_string(index + 1);
  }
  bool name_steps();
  bool check_results(std::size_t index);
  bool check_args(std::size_t index);
  bool check_result(std::size_t index, const json::value& argument, const std::vector<bool>& upstream);
  bool check_named(std::size_t index, const json::object& result, const std::vector<bool>& upstream);
  void add_last_check();

  const json::array& proposed_;
  const PlanRules& rules_;
  Plan plan_;
  std::map<std::string, std::size_t, std::less<>> index_of_;
  PlanError error_;
};

bool PlanMaker::fail(std::string_view name, std::size_t index, std::string_view what) {
  error_ = {std::string(name), "step " + std::to_string(index + 1) + ": " + std::string(what)};
  return false;
}

bool PlanMaker::name_steps() {
  for (std::size_t i = 0; i < proposed_.size(); ++i) {
    const json::object* const step = proposed_[i].if_object();
    if (step == nullptr) return fail("PLAN_INVALID", i, "a step is an object with a type and a description");
    const json::value* const given = step->if_contains("id");
    const bool is_kept = given != nullptr && given->is_string() && is_id(std::string_view(given->get_string()));
    std::string id = is_kept ? std::string(given->get_string()) : numbered_id(i);
    if (!index_of_.emplace(id, i).second) return fail("PLAN_DUPLICATE_ID", i, "\"" + id + "\" is the id of two steps");
    plan_.steps.emplace_back();
    plan_.steps.back().id = std::move(id);
  }
  return true;
}

bool PlanMaker::read_type(std::size_t index, const json::object& step, PlanStep& made) {
  const json::value* const type = step.if_contains("type");
  const json::value* const description = step.if_contains("description");
  const bool has_tool = step.contains("tool");
  std::string_view word = has_tool ? "action" : "";
  if (type != nullptr) word = type->is_string() ? std::string_view(type->get_string()) : "";
  if (word != "thought" && word != "action" && word != "system") {
    return fail("PLAN_INVALID", index, "the type must be thought, action or system");
  }
  made.type = word == "thought" ? StepType::Thought : word == "action" ? StepType::Action : StepType::System;
  if (description == nullptr && !has_tool) return fail("PLAN_INVALID", index, "the description is missing");
  if (description == nullptr) return true;
  if (!description->is_string()) return fail("PLAN_INVALID", index, "the description is no text");
  made.description = description->get_string();
  return true;
}

bool PlanMaker::read_tool(std::size_t index, const json::object& step, PlanStep& made) {
  if (const json::value* const tool = step.if_contains("tool"); tool != nullptr && !tool->is_null()) {
    if (!tool->is_string()) return fail("PLAN_INVALID", index, "the tool is no text");
    made.tool = tool->get_string();
    const auto& known = rules_.tools;
    if (known && !made.tool.empty() && std::find(known->begin(), known->end(), made.tool) == known->end()) {
      return fail("PLAN_UNKNOWN_TOOL", index, "there is no tool \"" + made.tool + '"');
    }
  }
  if (const json::value* const args = step.if_contains("args"); args != nullptr && !args->is_null()) {
    if (!args->is_object()) return fail("PLAN_INVALID", index, "args must be an object");
    made.args = args->get_object();
    if (!made.tool.empty() && made.args.contains("$result")) {
      return fail("PLAN_INVALID", index, "a {\"$result\": …} is the value of an argument and not all of args");
    }
    if (has_endless_number(*args)) return fail("PLAN_INVALID", index, "args has a number that is too large");
  }
  if (made.description.empty()) made.description = made.tool;
  return true;
}

bool PlanMaker::read_risk(std::size_t index, const json::object& step, PlanStep& made) {
  made.risk = made.tool.empty() ? RiskLevel::Low : usual_risk(made.tool);
  if (const json::value* const risk = step.if_contains("riskLevel"); risk != nullptr && !risk->is_null()) {
    const std::string_view word = risk->is_string() ? std::string_view(risk->get_string()) : "";
    if (word != "low" && word != "medium" && word != "high") {
      return fail("PLAN_INVALID", index, "riskLevel must be low, medium or high");
    }
    made.risk = word == "low" ? RiskLevel::Low : word == "medium" ? RiskLevel::Medium : RiskLevel::High;
  }
  made.requires_confirmation = made.risk == RiskLevel::High;
  if (const json::value* const asks = step.if_contains("requiresConfirmation"); asks != nullptr && !asks->is_null()) {
    if (!asks->is_bool()) return fail("PLAN_INVALID", index, "requiresConfirmation must be true or false");
    made.requires_confirmation = asks->get_bool();
  }
  if (const json::value* const reset = step.if_contains("reset"); reset != nullptr && !reset->is_null()) {
    if (!reset->is_bool()) return fail("PLAN_INVALID", index, "reset must be true or false");
    made.is_reset = reset->get_bool();
  }
  return true;
}

bool PlanMaker::read_verification(std::size_t index, const json::object& step, PlanStep& made) {
  if (const json::value* const list = step.if_contains("verification"); list != nullptr && !list->is_null()) {
    if (!list->is_array()) return fail("PLAN_INVALID", index, "verification must be a list of texts");
    if (list->get_array().size() > kMostCriteria) {
      return fail("PLAN_INVALID", index,
                  "verification must have at most " + std::to_string(kMostCriteria) + " criteria");
    }
    for (const json::value& criterion : list->get_array()) {
      if (!criterion.is_string()) return fail("PLAN_INVALID", index, "verification must be a list of texts");
      made.verification.emplace_back(criterion.get_string());
    }
  }
  if (made.verification.empty() && made.type == StepType::Action) made.verification.emplace_back(kDefaultCriterion);
  return true;
}

bool PlanMaker::depend(std::size_t index, std::size_t on, PlanStep& made) {
  if (on >= index) {
    return fail("PLAN_CYCLE", index,
                "it depends on step " + std::to_string(on + 1) + "; a step may only depend on steps before it");
  }
  made.depends_on.push_back(on);
  return true;
}

bool PlanMaker::add_number(std::size_t index, double number, PlanStep& made) {
  const double place = std::floor(number);
  if (!(place >= 1) || place > static_cast<double>(proposed_.size())) {
    return fail("PLAN_UNKNOWN_DEPENDENCY", index, "dependsOn names a step that is not in the plan");
  }
  return depend(index, static_cast<std::size_t>(place) - 1, made);
}

bool PlanMaker::add_text(std::size_t index, std::string_view text, PlanStep& made) {
  if (text.empty()) return true;
  if (const auto known = index_of_.find(text); known != index_of_.end()) return depend(index, known->second, made);
  const std::string lower = lowercase(text);
  if (lower == "prev" || lower == "previous") return index == 0 || depend(index, index - 1, made);
  if (const auto known = index_of_.find(lower); known != index_of_.end()) return depend(index, known->second, made);
  std::string_view digits = lower;
  if (digits.starts_with("step-")) digits.remove_prefix(5);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc() && end == digits.data() + digits.size()) return add_number(index, number, made);
  return fail("PLAN_UNKNOWN_DEPENDENCY", index, "dependsOn names \"" + std::string(text) + "\", which is no step");
}

bool PlanMaker::add_dependency(std::size_t index, const json::value& entry, PlanStep& made) {
  if (entry.is_number()) return add_number(index, entry.to_number<double>(), made);
  if (entry.is_string()) return add_text(index, trimmed(std::string_view(entry.get_string())), made);
  return fail("PLAN_INVALID", index, "dependsOn must be a list of numbers and ids");
}

bool PlanMaker::read_dependencies(std::size_t index, const json::object& step, PlanStep& made) {
  const json::value* const list = step.if_contains("dependsOn");
  const bool is_absent = list == nullptr || list->is_null();
  if (!is_absent && !list->is_array()) {
    return fail("PLAN_INVALID", index, "dependsOn must be a list of numbers and ids");
  }
  if (!is_absent) {
    for (const json::value& entry : list->get_array()) {
      if (!add_dependency(index, entry, made)) return false;
    }
  }
  const bool is_empty_on_purpose = !is_absent && list->get_array().empty();
  if (made.depends_on.empty() && !is_empty_on_purpose && index > 0) made.depends_on.push_back(index - 1);
  return true;
}

bool PlanMaker::read_step(std::size_t index) {
  const json::object& step = proposed_[index].get_object();
  PlanStep& made = plan_.steps[index];
  return read_type(index, step, made) && read_tool(index, step, made) && read_risk(index, step, made) &&
         read_verification(index, step, made) && read_dependencies(index, step, made);
}

bool PlanMaker::check_named(std::size_t index, const json::object& result, const std::vector<bool>& upstream) {
  const json::value& named = result.at("$result");
  const auto known = named.is_string() ? index_of_.find(std::string_view(named.get_string())) : index_of_.end();
  if (known == index_of_.end() || !upstream[known->second]) {
    return fail("PLAN_RESULT_NOT_UPSTREAM", index, "$result must name a step that this step depends on");
  }
  const json::value* const path = result.if_contains("path");
  if (path == nullptr || path->is_null() || is_path(*path)) return true;
  return fail("PLAN_INVALID", index, "the path of a $result must be a list of names and of places from 0");
}

bool PlanMaker::check_result(std::size_t index, const json::value& argument, const std::vector<bool>& upstream) {
  if (const json::array* const items = argument.if_array()) {
    return std::all_of(items->begin(), items->end(),
                       [&](const json::value& item) { return check_result(index, item, upstream); });
  }
  const json::object* const object = argument.if_object();
  if (object == nullptr) return true;
  if (object->contains("$result")) return check_named(index, *object, upstream);
  return std::all_of(object->begin(), object->end(),
                     [&](const auto& member) { return check_result(index, member.value(), upstream); });
}

bool PlanMaker::check_results(std::size_t index) {
  const json::value args = plan_.steps[index].args;
  return !has_result(args) || check_result(index, args, upstream_of(plan_, index));
}

bool PlanMaker::check_args(std::size_t index) {
  const PlanStep& step = plan_.steps[index];
  const std::string fault = rules_.signatures == nullptr ? std::string() : rules_.signatures->planned_fault(step);
  return fault.empty() || fail("PLAN_ARGUMENTS_INVALID", index, fault);
}

// A plan that checks nothing checks its outputs at the end.
void PlanMaker::add_last_check() {
  const auto checks = [](const PlanStep& step) { return !step.verification.empty(); };
  if (std::any_of(plan_.steps.begin(), plan_.steps.end(), checks)) return;
  PlanStep last;
  last.id = numbered_id(plan_.steps.size());
  while (index_of_.contains(last.id)) last.id += "-check";
  last.type = StepType::System;
  last.description = "Verify outputs and confirm task success.";
  if (!plan_.steps.empty()) last.depends_on.push_back(plan_.steps.size() - 1);
  plan_.steps.push_back(std::move(last));
}

std::variant<Plan, PlanError> PlanMaker::make() {
  if (proposed_.size() > rules_.most_steps) {
    return PlanError{"PLAN_TOO_LARGE", "the plan has " + std::to_string(proposed_.size()) + " steps; at most " +
                                           std::to_string(rules_.most_steps) + " are allowed"};
  }
  if (!name_steps()) return error_;
  for (std::size_t i = 0; i < proposed_.size(); ++i) {
    if (!read_step(i)) return error_;
  }
  for (std::size_t i = 0; i < proposed_.size(); ++i) {
    if (!check_results(i) || !check_args(i)) return error_;
  }
  add_last_check();
  return std::move(plan_);
}

}  // namespace

RiskLevel usual_risk(std::string_view tool) {
  if (std::find(kHighRiskTools.begin(), kHighRiskTools.end(), tool) != kHighRiskTools.end()) return RiskLevel::High;
  return tool.starts_with("fs_") || tool.starts_with("git_") ? RiskLevel::Medium : RiskLevel::Low;
}

std::string_view step_type_name(StepType type) {
  switch (type) {
    case StepType::Thought: return "thought";
    case StepType::Action: return "action";
    case StepType::System: return "system";
  }
  return {};
}

std::string_view risk_level_name(RiskLevel level) {
  switch (level) {
    case RiskLevel::Low: return "low";
    case RiskLevel::Medium: return "medium";
    case RiskLevel::High: return "high";
  }
  return {};
}

std::variant<Plan, PlanError> make_plan(const json::array& proposed, const PlanRules& rules) {
  return PlanMaker(proposed, rules).make();
}

std::variant<Plan, PlanError> read_plan(std::string_view model_text, const PlanRules& rules) {
  const std::optional<json::value> found = find_json(model_text);
  if (!found) return PlanError{"PLAN_INVALID", "the reply is no JSON; it must be {\"steps\": [...]}"};
  const json::value* steps = &*found;
  if (const json::object* const object = found->if_object()) steps = object->if_contains("steps");
  if (steps == nullptr || !steps->is_array()) return PlanError{"PLAN_INVALID", "the reply has no list \"steps\""};
  return make_plan(steps->get_array(), rules);
}

bool has_result(const json::object& args) {
  return args.contains("$result") ||
         std::any_of(args.begin(), args.end(), [](const auto& member) { return has_result(member.value()); });
}

bool has_result(const json::value& argument) {
  if (const json::array* const items = argument.if_array()) {
    return std::any_of(items->begin(), items->end(), [](const json::value& item) { return has_result(item); });
  }
  const json::object* const object = argument.if_object();
  return object != nullptr && has_result(*object);
}

std::vector<std::string_view> results_in(const json::object& args) {
  std::vector<std::string_view> ids;
  const auto add = [&ids](const auto& self, const json::value& part) -> void {
    if (const json::array* const items = part.if_array()) {
      for (const json::value& item : *items) self(self, item);
    } else if (const json::object* const object = part.if_object()) {
      const json::value* const id = object->if_contains("$result");
      if (id != nullptr && id->is_string()) ids.emplace_back(id->get_string());
      for (const auto& member : *object) self(self, member.value());
    }
  };
  for (const auto& member : args) add(add, member.value());
  return ids;
}

std::vector<bool> upstream_of(const Plan& plan, std::size_t index) {
  std::vector<bool> is_upstream(plan.steps.size());
  for (const std::size_t on : plan.steps[index].depends_on) is_upstream[on] = true;
  for (std::size_t i = index; i-- > 0;) {
    if (!is_upstream[i]) continue;
    for (const std::size_t on : plan.steps[i].depends_on) is_upstream[on] = true;
  }
  return is_upstream;
}

json::object step_json(const Plan& plan, const PlanStep& step) {
  json::array depends_on;
  for (const std::size_t on : step.depends_on) depends_on.emplace_back(plan.steps[on].id);
  json::object object{{"id", step.id}, {"type", step_type_name(step.type)}, {"description", step.description}};
  if (!step.tool.empty()) object["tool"] = step.tool;
  if (!step.args.empty()) object["args"] = step.args;
  object["dependsOn"] = std::move(depends_on);
  object["riskLevel"] = risk_level_name(step.risk);
  object["requiresConfirmation"] = step.requires_confirmation;
  object["verification"] = json::array(step.verification.begin(), step.verification.end());
  return object;
}

}  // namespace ptcvm::chain
