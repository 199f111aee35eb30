// How people go on with the run of an agent that a store keeps.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Returns the command that goes on with the run of an agent, as a sentence, or "" for every other run.
std::string agent_goes_on(const Store& store, const StoreOptions& options);

// Returns lines for people: what the run waits for, and for each operation the commands that answer it. The person
// replaces the words in capitals. `has_command` says of a tool whether the next process calls it.
std::string next_of_agent(const StoreOptions& options, const std::vector<loop::Operation>& operations,
                          const std::function<bool(const std::string& tool)>& has_command);

}  // namespace ptcvm::cli
