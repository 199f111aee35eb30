// The layers of cases of the harness. Each returns why a case does not hold, or nullopt when it holds.
#pragma once
#include "tests/scenarios/case_json.h"
#include "tests/scenarios/scenario_store.h"

namespace ptcvm::scenarios {

// What every layer gets: given, when (a list, maybe empty) and then of the case, and a store of its own.
struct LayerCase {
  const boost::json::object& given;
  const boost::json::array& when;
  const boost::json::object& then;
  const ScenarioStore& store;
};

// Compares every member of `then` with the one of what happened. A member that is not there is a reason.
Why members_hold(const boost::json::object& then, const boost::json::object& got);

// Thrown where a process of a case is killed.
struct Killed {};

Why harness_pass_layer(const LayerCase& scenario);        // scheduling, gates, commits
Why harness_validator_layer(const LayerCase& scenario);   // what a planner may propose
Why harness_store_layer(const LayerCase& scenario);       // the journal, drafts and sending
Why harness_config_layer(const LayerCase& scenario);      // configurations and forms
Why harness_link_layer(const LayerCase& scenario);        // links
Why harness_planner_layer(const LayerCase& scenario);     // the scenario planner
Why harness_turn_layer(const LayerCase& scenario);        // whose turn it is

}  // namespace ptcvm::scenarios
