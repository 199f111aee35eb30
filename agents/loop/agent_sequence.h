// Agents that run one after the other: what one returns is what the next one works on. The sequence is an agent itself,
// with the steps as its children and a program that calls them, so it waits, survives, forks and counts as one.
//
//   auto both = agent_sequence({find, summarize}).value();   // then Agent::make(engine, both)
//   auto planned = planned_agent(planner, worker).value();
#pragma once
#include <vector>

#include "agents/loop/agent_definition.h"

namespace ptcvm::loop {

// Makes the agent of a sequence of at least one step; a sequence of one is the step itself. Each parameter of a step
// must be a field of what the step before returns. The steps keep their names when these can be names of children, and
// no two are the same; others are called step-1, step-2 and so on. A step that fails ends the run with the reason
// "chained_failure"; the message has its name, its reason and its message. Error: invalid_value with the reason
// "chain_error" in the message.
Result<AgentDefinition> agent_sequence(std::vector<AgentDefinition> steps);

// Makes an agent whose plan another one makes: the planner works on the same data, and what it returns is the plan of
// the worker, as read_plan() reads it. A planner without a signature works on what the worker works on, and returns
// {steps [{id :string, text :string}]}. The worker's plan must be empty. What the planner returns is checked when it is
// there: the run ends with the reason "chained_failure" when it is no plan. Error: as agent_sequence().
Result<AgentDefinition> planned_agent(AgentDefinition planner, AgentDefinition worker);

}  // namespace ptcvm::loop
