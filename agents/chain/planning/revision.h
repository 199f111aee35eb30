// Says whether a new revision of a plan keeps what it must keep.
#pragma once
#include <boost/json/array.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agents/chain/plan/plan.h"
#include "agents/chain/report/report.h"

namespace ptcvm::chain {

// Compares a revision with the one before. `results` are the results of `before`, in plan order. Only steps that
// failed, and steps downstream of them, may change; steps may be added. Returns "REPLAN_TOUCHES_COMPLETED: …" with the
// step that must stay as it was, or nullopt when the revision is right.
std::optional<std::string> touched_step(const Plan& before, const std::vector<StepResult>& results, const Plan& after);

// Compares the checks of steps that ran and failed them; `rows` tell how `before` ended (plan_program.h). Such a step
// keeps its checks, unless its call is another one or is made again. Otherwise a planner could make an output that was
// not good enough pass without doing anything. Returns "REPLAN_CHANGES_CHECKS: …" with the step, or nullopt.
std::optional<std::string> changed_check(const Plan& before, const boost::json::array& rows, const Plan& after);

}  // namespace ptcvm::chain
