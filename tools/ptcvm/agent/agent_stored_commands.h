// The commands of `ptcvm agent` about runs that a store keeps.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "tools/ptcvm/agent/agent_record.h"
#include "tools/ptcvm/agent/agent_session.h"

namespace ptcvm::cli {

// Runs an agent in the store of the arguments: begun, gone on with, or its outcome when the run has ended.
int run_agent_in_store(AgentArguments& arguments);

// Declares --store and --id, which name a run.
void declare_agent_of_store(CLI::App& command, StoreOptions& options);
// Opens a store. Returns nullopt when it cannot be opened; `status` is then what the command ends with.
std::optional<Store> store_of(const StoreOptions& options, StoreUse use, int& status);
// Reads the run of a store, with the same rule.
std::optional<AgentRecord> record_of(const StoreOptions& options, int& status);
// Says on standard error what is wrong, and returns what the command ends with.
int refuse_error(const Error& error);

void add_agent_resume(CLI::App& agent, int& status);
void add_agent_show(CLI::App& agent, int& status);
void add_agent_fork(CLI::App& agent, int& status);
void add_agent_cost(CLI::App& agent, int& status);
void add_agent_replay(CLI::App& agent, int& status);
void add_agent_compile(CLI::App& agent, int& status);

}  // namespace ptcvm::cli
