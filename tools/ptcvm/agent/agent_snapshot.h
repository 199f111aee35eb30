// Runs of agents in files: the document of a run, as bytes or, in a file whose name ends with .json, as JSON.
#pragma once
#include <optional>
#include <string>

#include "agents/loop/agent_definition.h"
#include "agents/loop/agent_run.h"

namespace ptcvm::cli {

struct AgentSnapshot {
  std::string bytes;
  loop::AgentDefinition definition;   // the agent whose run it is
};

// Reads a file. Returns nullopt when it has no run of an agent; `message` then says why.
std::optional<AgentSnapshot> read_agent_snapshot(const std::string& file, std::string& message);
// Writes the run whole or not at all. Returns false when that fails; `message` then says why.
bool write_agent_snapshot(const std::string& file, const loop::AgentRun& run, std::string& message);

}  // namespace ptcvm::cli
