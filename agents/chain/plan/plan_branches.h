// Which steps of a plan run one after another, and which at once.
//
// A plan is cut into groups, which run one after another. The branches of a group run at once, and the steps of a
// branch in turn. A step begins as soon as the steps that it depends on are done, whatever others are under way: in its
// group it follows one of them in their branch, or it is the first step of its branch and waits for them.
#pragma once
#include <cstddef>
#include <vector>

#include "agents/chain/plan/plan.h"

namespace ptcvm::chain {

struct PlacedStep {
  std::size_t step = 0;      // index in the plan
  bool waits = false;        // it needs steps of other branches of its group; it is the first of its branch
  bool is_awaited = false;   // steps of other branches need it; it is the first of its branch
};

using PlanBranch = std::vector<PlacedStep>;
using PlanGroup = std::vector<PlanBranch>;   // by their first steps; a branch waits for earlier branches only

// The most branches of a group: the time for a group grows with the square of their number. A plan with more branches
// side by side becomes several groups, and a slow step of one holds up the next.
inline constexpr std::size_t kWidestGroup = 64;

// Places all steps of the plan but those with `is_done`. With `at_once` false every step is a
// group of its own, in plan order. The first step of a branch may depend on branches before it in its group, and any
// step on the groups before.
std::vector<PlanGroup> plan_groups(const Plan& plan, const std::vector<bool>& is_done, bool at_once);

}  // namespace ptcvm::chain
