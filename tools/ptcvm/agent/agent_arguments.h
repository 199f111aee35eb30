// What the commands of `ptcvm agent` are told: options, and the files that they name.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/agent_definition.h"
#include "tools/ptcvm/agent/agent_tools.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

struct AgentArguments {
  std::string file, data, model, record, trace, prices, output = "json";
  std::string snapshot;                          // the file that keeps the run, or ""
  StoreOptions store;                            // also the id of the run
  std::vector<std::string> tools_files;          // files of tools (tools_file.h)
  std::vector<std::string> tools, shell_tools;   // NAME=COMMAND
  std::vector<std::string> child_models;         // PATH=MODEL
  std::vector<std::string> limits;               // LIMIT=NUMBER: the run may use at most so much
  std::vector<std::string> then;                 // files of the agents that go on
  std::string planner;                           // the file of the agent that plans, or ""
  std::optional<std::uint32_t> rate;             // requests a minute to each server; nullopt or 0: as the servers say
  bool stream = false, progress = false;

  // Returns the tools of `tools_files`, or null when a file cannot be read; `message` then says why. The files are read
  // once: their MCP servers are started once.
  const std::vector<DeclaredTool>* declared_tools(std::string& message) const;

 private:
  mutable std::optional<std::vector<DeclaredTool>> declared_;   // nullopt: not read yet
};

void declare_agent_file(CLI::App& command, AgentArguments& arguments);       // FILE, --data
void declare_agent_sequence(CLI::App& command, AgentArguments& arguments);   // --then, --planner
// Declares --model, which is returned, --child-model, --record and --stream.
CLI::Option* declare_agent_model(CLI::App& command, AgentArguments& arguments);
// Declares --tools, --tool, --tool-shell, --rate, --trace, --output, --progress, --prices and --limit.
void declare_agent_run(CLI::App& command, AgentArguments& arguments);
void declare_agent_snapshot(CLI::App& command, std::string& file);           // --snapshot
void declare_agent_tools(CLI::App& command, AgentArguments& arguments);   // --tools alone

// Reads the commands of --tool and --tool-shell. Returns nullopt when one cannot be read; `message` then says why.
std::optional<ToolCommands> tool_commands(const AgentArguments& arguments, std::string& message);
// Reads the data of --data: an object of JSON. Without a file the data is {}.
std::optional<std::string> agent_data(const AgentArguments& arguments, std::string& message);
// Reads the agent file and the files of --planner and --then: together they are a sequence. The agents have the tools
// of --tools.
std::optional<loop::AgentDefinition> agent_definition(const AgentArguments& arguments, std::string& message);
// Says that --model is required, as the parser of the command line does, when the agent begins with asking a model.
void require_agent_model(const AgentArguments& arguments, const loop::AgentDefinition& definition);

}  // namespace ptcvm::cli
