// Runs of agents in files: the document of a run, as bytes or, in a file whose name ends with .json, as JSON. With a
// key ring each file is sealed under the next sequence number, as the snapshots of other runs are.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "agents/loop/agent_definition.h"
#include "agents/loop/agent_run.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

struct AgentSnapshot {
  std::string bytes;
  loop::AgentDefinition definition;   // the agent whose run it is
  std::uint64_t sequence = 0;         // counts the sealed files of the run; 0: not sealed
};

// What a sealed file is expected to be; nullopt: anything.
struct ExpectedSnapshot {
  std::optional<std::string> run;
  std::optional<std::uint64_t> sequence;
};

void declare_expected_snapshot(CLI::App& command, ExpectedSnapshot& expected);   // --expect-run, --expect-sequence

// Reads a file, with the ring and for the tenant of the options. Returns nullopt when the file is refused or has no run
// of an agent; `message` then says why.
std::optional<AgentSnapshot> read_agent_snapshot(const std::string& file, const StoreOptions& options,
                                                 const ExpectedSnapshot& expected, std::string& message);
// Returns whether the ring of the options can seal a file. A run that begins before that is known would be lost.
bool can_write_agent_snapshot(const StoreOptions& options, std::string& message);
// Writes the run whole or not at all. Returns false when that fails; `message` then says why.
bool write_agent_snapshot(const std::string& file, const loop::AgentRun& run, const StoreOptions& options,
                          std::uint64_t sequence, std::string& message);

}  // namespace ptcvm::cli
