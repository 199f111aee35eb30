#include "agents/chain/planning/planning.h"

#include <boost/json/serialize.hpp>
#include <utility>
#include <variant>

#include "agents/chain/planning/prompts.h"
#include "agents/chain/planning/revision.h"
#include "agents/chain/report/step_results.h"
#include "agents/chain/text/ascii_text.h"
#include "agents/chain/text/json_member.h"
#include "agents/chain/text/model_json.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// Returns whether a planner says that it has nothing else to try.
bool is_giving_up(std::string_view reply) {
  if (trimmed(reply).empty()) return true;
  const std::optional<json::value> found = find_json(reply);
  if (!found) return false;
  const json::value* steps = &*found;
  if (const json::object* const object = found->if_object()) steps = object->if_contains("steps");
  return steps != nullptr && steps->is_array() && steps->get_array().empty();
}

}  // namespace

void Planning::begin(const json::value& intent, std::string_view context) {
  const std::optional<IntentProfile> read = read_intent(reply_text(intent));
  usage_[{0, 0}] = reply_usage(intent);
  intent_ = read ? *read : intent_of_input(options_.input);
  context_ = context;
}

std::string Planning::prompt(const json::object& request) const {
  const std::uint32_t revision = member_number(request, "revision");
  const std::string intent = json::serialize(intent_json(intent_));
  const std::string problem = member_text(request, "problem");
  const std::uint32_t executed = executed_before(revision);
  const json::array* const rows = this->rows(executed);
  const std::string results = rows == nullptr ? std::string() : json::serialize(*rows);
  return plan_prompt({.input = options_.input,
                      .intent = intent,
                      .context = context_,
                      .before = plan(executed),
                      .results = results,
                      .problem = problem,
                      .wish = wish_},
                     options_.tools);
}

json::object Planning::check(const json::object& request) {
  const std::uint32_t revision = member_number(request, "revision");
  const json::value* const kept = request.if_contains("reply");
  const std::string reply = kept == nullptr ? std::string() : reply_text(*kept);
  usage_[{revision, member_number(request, "attempt")}] = kept == nullptr ? ModelUsage() : reply_usage(*kept);
  if (kept != nullptr) {
    if (std::string refusal = reply_refusal(*kept); !refusal.empty()) return {{"error", std::move(refusal)}};
  }
  if (revision > 1 && is_giving_up(reply)) {
    return {{"refused", "REPLAN_UNAVAILABLE: the planner has nothing else to try"}};
  }
  PlanRules rules{.task_id = options_.id, .most_steps = options_.most_steps};
  rules.tools.emplace();
  for (const ChainTool& tool : options_.tools) rules.tools->push_back(tool.name);
  rules.signatures = &signatures_;
  auto made = read_plan(reply, rules);
  if (const PlanError* const error = std::get_if<PlanError>(&made)) {
    const bool is_last = member_number(request, "attempt") > 1;
    return {{is_last ? "error" : "again", error->name + ": " + error->message}};
  }
  return check_revision(revision, std::move(std::get<Plan>(made)));
}

json::object Planning::check_revision(std::uint32_t revision, Plan plan) {
  const std::uint32_t executed = executed_before(revision);
  const Plan* const before = this->plan(executed);
  const json::array* const rows = this->rows(executed);
  if (before != nullptr && rows != nullptr) {
    const auto results = step_results(*before, *rows, options_.verifier);
    if (const auto touched = touched_step(*before, results, plan)) return {{"refused", *touched}};
    if (const auto changed = changed_check(*before, *rows, plan)) return {{"refused", *changed}};
    PlanHistory history = this->history(executed);
    history.completed = completed_steps(*rows);
    if (has_failed_check(*rows)) history.trust = Trust::CheckFailed;
    if (options_.asks_after_doubts) history.doubted_tools.merge(doubted_tools(*rows));
    history.called_tools.merge(called_tools(*rows));
    const auto made = made_calls(*rows);
    for (const PlanStep& step : before->steps) {
      const auto call = made.find(step.id);
      if (call == made.end() || step.type != StepType::Action) continue;
      const std::string key = effect_key(step, options_.id);
      if (call->second) {
        history.failed_effects.insert(key);
      } else {
        history.failed_effects.erase(key);
      }
    }
    histories_[revision] = std::move(history);
  }
  plans_.insert_or_assign(revision, std::move(plan));
  return {};
}

TaskCost Planning::cost() const {
  TaskCost cost;
  for (const auto& [when, usage] : usage_) {
    cost.model_calls += usage.calls;
    cost.input_tokens += usage.input_tokens;
    cost.output_tokens += usage.output_tokens;
  }
  return cost;
}

std::uint32_t Planning::planned_before(std::uint32_t revision) const {
  while (--revision > 0 && plan(revision) == nullptr) {}
  return revision;
}

std::uint32_t Planning::executed_before(std::uint32_t revision) const {
  while (--revision > 0 && (plan(revision) == nullptr || rows(revision) == nullptr)) {}
  return revision;
}

const json::array* Planning::rows(std::uint32_t revision) const {
  const auto found = rows_.find(revision);
  return found == rows_.end() ? nullptr : &found->second;
}

const Plan* Planning::plan(std::uint32_t revision) const {
  const auto found = plans_.find(revision);
  return found == plans_.end() ? nullptr : &found->second;
}

json::array Planning::newest_plan() const {
  json::array steps;
  if (plans_.empty()) return steps;
  const Plan& newest = plans_.rbegin()->second;
  for (const PlanStep& step : newest.steps) steps.push_back(step_json(newest, step));
  return steps;
}

const PlanHistory& Planning::history(std::uint32_t revision) const {
  static const PlanHistory kNothing;
  const auto found = histories_.find(revision);
  return found == histories_.end() ? kNothing : found->second;
}

}  // namespace ptcvm::chain
