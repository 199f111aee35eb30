// Says whether a new revision of a plan keeps what it must keep.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agents/chain/plan.h"
#include "agents/chain/report.h"

namespace ptcvm::chain {

// Compares a revision with the one before. `results` are the results of `before`, in plan order. Only steps that
// failed, and steps downstream of them, may change; steps may be added. Returns "REPLAN_TOUCHES_COMPLETED: …" with the
// step that must stay as it was, or nullopt when the revision is right.
std::optional<std::string> touched_step(const Plan& before, const std::vector<StepResult>& results, const Plan& after);

}  // namespace ptcvm::chain
