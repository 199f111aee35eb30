// A plan: the steps of a task as a person or a model wrote them, and what was said about each one that is done.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

struct PlanStep {
  std::string id, description;
  friend bool operator==(const PlanStep&, const PlanStep&) = default;
};
using Plan = std::vector<PlanStep>;

// Steps with the ids "1", "2" and so on.
Plan numbered_plan(std::span<const std::string> descriptions);
// From EDN: a vector of texts, or of pairs [id description]; ids are texts, keywords or whole numbers. Nothing, and
// why: another shape, an id twice, an empty id.
std::optional<Plan> read_plan(std::string_view edn, std::string& why);
std::string plan_edn(const Plan& plan);   // pairs; what read_plan() reads

// Step id and summary.
using StepSummaries = std::vector<std::pair<std::string, std::string>>;

// Summaries of a turn that ended well come on top of the earlier ones: the last of an id wins, its place is the first.
void add_summaries(StepSummaries& all, const StepSummaries& more);

// The Markdown checklist; "" for an empty plan. Steps in the order of the plan, then what was done outside of it by id.
// Line breaks inside of ids, descriptions and summaries become blanks.
std::string render_checklist(const Plan& plan, const StepSummaries& summaries);

}  // namespace ptc
