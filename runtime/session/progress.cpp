#include "runtime/session/progress.h"

#include <utility>

namespace ptc {

void Progress::restore(StepSummaries summaries, std::uint64_t turn, std::string state) {
  summaries_ = std::move(summaries);
  turn_ = turn;
  state_ = std::move(state);
}

void Progress::turn_ended(const Outcome& outcome) {
  ++turn_;
  calls_ = outcome.tool_calls;
  if (outcome.status != OutcomeStatus::Error) add_summaries(summaries_, outcome.summaries);
}

std::string Progress::render() {
  if (!renderer_) return render_checklist(plan_, summaries_);
  const ProgressPhase phase = turn_ == 0 ? ProgressPhase::Initial : ProgressPhase::Continuation;
  ProgressText made = renderer_({plan_, summaries_, calls_, turn_, phase}, state_);
  state_ = std::move(made.state);
  return std::move(made.text);
}

}  // namespace ptc
