// A chain of tasks as a job of a queue: what `ptcvm enqueue --chain` writes, and what a worker reads. The log of the
// job is the log ID; the runs of the chain are ID/driver, ID/steps, ID/feedback and, for agents of steps, ID/agents/…,
// and its setup is in ID/setup.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ptcvm/calls/tools_file.h"
#include "tools/ptcvm/chain/chain_setup.h"

namespace ptcvm::cli {

inline constexpr const char* kChainKind = "chain";   // QueuedJob::kind

// Makes a setup the setup of a job: without commands and servers, because a worker executes its own commands only.
// Returns the names of its tools, sorted: a worker must have them.
std::vector<std::string> take_commands(ChainSetup& setup);

// Reads what QueuedJob::source of a chain has: write_setup() wrote it.
Result<ChainSetup> read_chain_job(std::string_view text);
// Returns the setup of a job that may not have been begun, or nullopt when the log is no such job.
Result<std::optional<ChainSetup>> chain_job(const Store& store, const std::string& id);
bool is_chain_job(const Store& store, const std::string& id);
// Returns the setup of a task, whether somebody has begun it or it is a job that waits for a worker.
Result<std::optional<ChainSetup>> known_setup(const Store& store, const std::string& id);
// Returns the job whose steps are in this log ("ID/steps"), or nullopt when it is not such a log.
std::optional<std::string> chain_of_steps(const Store& store, const std::string& log);

// Returns the task whose step is done by an agent that has this log, or nullopt when it is not such a log.
std::optional<std::string> chain_of_agent(const Store& store, const std::string& log);

// Says that people answer steps with ptcvm chain answer, when the log is one of steps. Returns whether it is.
bool is_of_chain(const Store& store, const std::string& log);

// Makes the tools of a setup what a worker says of them: signatures, descriptions and effect classes.
void retell_tools(ChainSetup& setup, const std::vector<DeclaredTool>& tools);

}  // namespace ptcvm::cli
