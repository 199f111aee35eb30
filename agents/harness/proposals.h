// What planners return as data: facts that they propose.
#pragma once
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "agents/harness/planner.h"

namespace ptcvm::harness {

struct Proposals {
  std::vector<ProposedFact> facts = {};
  std::string unknown_type = {};             // a type that no fact has, or ""
};

// Takes the facts in a value, a list of them or one: {"type": "compose_intent", "text": "…"}. What has no type is no
// fact.
Proposals read_proposals(const boost::json::value& value);

// Makes the output of a pass, with ids for facts that have none. `who` names the planner when a type is unknown.
PlanOutput output_of(PlanContext& context, Proposals proposals, const std::string& who);

}  // namespace ptcvm::harness
