// What a model is told about the state of its work: the checklist of a plan and the mission log. Pure text functions.
//
// A plan never changes. Its steps are checked off by (step-done "id" "summary"), which the runtime collects and shows
// only after the turn ended well; the mission log lists what (task …) committed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/outcome.h"

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

// What a renderer of its own is given. The state is the renderer's: it is kept between turns, and nobody else looks.
enum class ProgressPhase : std::uint8_t { Initial, Continuation };
struct ProgressInput {
  const Plan& plan;
  const StepSummaries& summaries;
  std::span<const ToolOutcome> tool_calls;   // of the turn before; none at first
  std::uint64_t turn = 0;                    // 0 at first
  ProgressPhase phase = ProgressPhase::Initial;
};
struct ProgressText {
  std::string text, state;
};
using ProgressRenderer = std::function<ProgressText(const ProgressInput&, const std::string& state)>;

// Keeps plan, summaries and the renderer's state over the turns of one agent.
class Progress {
 public:
  explicit Progress(Plan plan, ProgressRenderer renderer = {})
      : plan_(std::move(plan)), renderer_(std::move(renderer)) {}

  const Plan& plan() const { return plan_; }
  const StepSummaries& summaries() const { return summaries_; }
  const std::string& state() const { return state_; }
  // Before the first turn, when they are known from somewhere else.
  void restore(StepSummaries summaries, std::uint64_t turn, std::string state);
  // After each turn: its summaries count unless it ended in an error.
  void turn_ended(const Outcome& outcome);
  // For the next message to the model.
  std::string render();

 private:
  Plan plan_;
  ProgressRenderer renderer_;
  StepSummaries summaries_;
  std::vector<ToolOutcome> calls_;
  std::uint64_t turn_ = 0;
  std::string state_;
};

// A task that was committed: its id and its value as EDN.
struct LoggedTask {
  std::string id, value_edn;
  std::string source;            // who put it there, when it was not the program
  std::uint64_t seq = 0;         // of the fact that says it
};

// "## Mission Log (Completed Tasks)" and a line for each, in the order given; "" when there is none. Values longer than
// `most` characters (code points) are cut and end in "...".
std::string render_mission_log(std::span<const LoggedTask> tasks, std::size_t most = 200);

}  // namespace ptc
