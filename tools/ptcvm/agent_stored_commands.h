// The commands of `ptcvm agent` about runs that a store keeps.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/ptcvm/agent_session.h"

namespace ptcvm::cli {

// Runs an agent in the store of the arguments: begun, gone on with, or its outcome when the run has ended.
int run_agent_in_store(AgentArguments& arguments);

void add_agent_resume(CLI::App& agent, int& status);
void add_agent_show(CLI::App& agent, int& status);
void add_agent_fork(CLI::App& agent, int& status);
void add_agent_cost(CLI::App& agent, int& status);

}  // namespace ptcvm::cli
