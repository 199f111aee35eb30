// Renders the progress of a run with a function in PTC-Lisp, which the definition of the agent has.
#pragma once
#include <string>

#include "agents/loop/agent.h"

namespace ptcvm::loop {

// Calls (fn [input state] …) with {"plan" [{"id" … "text" …} …], "summaries" {id text}, "turn" n} and with the state
// that it returned in the turn before, or nil. The state is JSON between turns: keywords become strings. Error:
// invalid_value when the function ends in a fault, or returns no map with a string "text".
Result<ProgressOutput> run_progress(const Engine& engine, const std::string& function, const ProgressInput& input);

}  // namespace ptcvm::loop
