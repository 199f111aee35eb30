// An agent as a job of a queue: what `ptcvm enqueue --agent` writes, and what a worker reads.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_definition.h"

namespace ptcvm::cli {

inline constexpr const char* kAgentKind = "agent";   // QueuedJob::kind

struct AgentJob {
  loop::AgentDefinition agent;               // without commands
  std::string data_json = "{}";
  std::optional<std::int64_t> idle_ms = {};  // a session, and how long it waits for the next word
};

std::string write_agent_job(const AgentJob& job);
Result<AgentJob> read_agent_job(std::string_view text);

// Takes the commands of tools out of a definition, because a worker executes its own commands only. Returns the names
// of the tools that had one, sorted: a worker must have them.
std::vector<std::string> take_commands(loop::AgentDefinition& agent);

}  // namespace ptcvm::cli
