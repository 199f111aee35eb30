// Keeps what a model is told about the progress of its work, over the turns of one agent.
//
// A plan never changes. (step-done "id" "summary") checks off its steps; the runtime collects the summaries and shows
// them only after the turn ended well.
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

#include "runtime/session/outcome.h"
#include "runtime/text/plan.h"

namespace ptc {

// The input of a custom renderer. The renderer owns the state, which is kept between turns and read by nobody else.
enum class ProgressPhase : std::uint8_t { Initial, Continuation };
struct ProgressInput {
  const Plan& plan;
  const StepSummaries& summaries;
  std::span<const ToolOutcome> tool_calls;   // the calls of the last turn; empty at first
  std::uint64_t turn = 0;                    // 0 at first
  ProgressPhase phase = ProgressPhase::Initial;
};
struct ProgressText {
  std::string text, state;
};
using ProgressRenderer = std::function<ProgressText(const ProgressInput&, const std::string& state)>;

// Keeps the plan, the summaries and the state of the renderer over the turns of one agent.
class Progress {
 public:
  explicit Progress(Plan plan, ProgressRenderer renderer = {})
      : plan_(std::move(plan)), renderer_(std::move(renderer)) {}

  const Plan& plan() const { return plan_; }
  const StepSummaries& summaries() const { return summaries_; }
  const std::string& state() const { return state_; }
  // Sets summaries, turn and state that are known from somewhere else. Call it before the first turn.
  void restore(StepSummaries summaries, std::uint64_t turn, std::string state);
  // Takes the summaries of a turn, unless the turn ended in an error. Call it after each turn.
  void turn_ended(const Outcome& outcome);
  // Returns the text for the next message to the model.
  std::string render();

 private:
  Plan plan_;
  ProgressRenderer renderer_;
  StepSummaries summaries_;
  std::vector<ToolOutcome> calls_;
  std::uint64_t turn_ = 0;
  std::string state_;
};

}  // namespace ptc
