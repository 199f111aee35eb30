// What planners return as data: facts that they propose.
#pragma once
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "agents/harness/pass/planner.h"

namespace ptcvm::harness {

struct Proposals {
  std::vector<ProposedFact> facts = {};
  std::string unknown_type = {};             // a type that no fact has, or ""
  std::string strange = {};                  // the first thing that is no fact, as JSON, or ""
};

// Takes the facts in a value, a list of them or one: {"type": "compose_intent", "text": "…"}. What has no type is no
// fact. Null alone proposes nothing.
Proposals read_proposals(const boost::json::value& value);

// Makes the output of a pass, with ids for facts that have none. `who` names the planner when something
// is no fact.
PlanOutput output_of(PlanContext& context, Proposals proposals, const std::string& who);

}  // namespace ptcvm::harness
