// A plan has the steps of a task as a person or a model wrote them, and a summary for each step that is done.
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

// Returns a plan whose steps have the ids "1", "2" and so on.
Plan numbered_plan(std::span<const std::string> descriptions);
// Reads a plan from EDN: a vector of texts, or of pairs [id description], where an id is a text, a keyword or a whole
// number. Returns nullopt and says why when the EDN has another shape, an id twice or an empty id.
std::optional<Plan> read_plan(std::string_view edn, std::string& why);
std::string plan_edn(const Plan& plan);   // returns pairs, which read_plan() reads

// Pairs of a step id and a summary.
using StepSummaries = std::vector<std::pair<std::string, std::string>>;

// Adds the summaries of a turn that ended well. A later summary of an id replaces the text and keeps the place of the
// first.
void add_summaries(StepSummaries& all, const StepSummaries& more);

// Returns the Markdown checklist, or "" for an empty plan. Steps come in the order of the plan, then summaries outside
// of the plan, sorted by id. Line breaks inside of ids, descriptions and summaries become blanks.
std::string render_checklist(const Plan& plan, const StepSummaries& summaries);

}  // namespace ptc
