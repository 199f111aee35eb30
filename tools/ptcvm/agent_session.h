// What the commands of `ptcvm agent` share: the agent of a file, the model that answers, and a run that is driven.
#pragma once
#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/engine.hpp"
#include "tools/ptcvm/agent_driver.h"
#include "tools/ptcvm/agent_models.h"
#include "tools/ptcvm/interrupt.h"

namespace ptcvm::cli {

struct AgentArguments {
  std::string file, data, model, id = "agent", record, trace, output = "json";
  std::vector<std::string> tools, shell_tools;   // NAME=COMMAND
  bool stream = false, progress = false;
};

void declare_agent_file(CLI::App& command, AgentArguments& arguments);    // FILE, --data
void declare_agent_model(CLI::App& command, AgentArguments& arguments);   // --model, --record, --stream
void declare_agent_run(CLI::App& command, AgentArguments& arguments);     // --tool, --trace, --output, --progress

// Reads the commands of --tool and --tool-shell. Returns nullopt when one cannot be read; `message` then says why.
std::optional<ToolCommands> tool_commands(const AgentArguments& arguments, std::string& message);
// Reads the data of --data: an object of JSON. Without a file the data is {}.
std::optional<std::string> agent_data(const AgentArguments& arguments, std::string& message);
// Reads an agent file.
std::optional<loop::AgentDefinition> agent_definition(const std::string& file, std::string& message);

class AgentSession {
 public:
  explicit AgentSession(const AgentArguments& arguments) : arguments_(arguments) {}

  // Opens the model and the files, and makes the agent. Returns false when that fails, and message() says why. A source
  // that is given takes the place of the one that --model names.
  bool open(loop::AgentDefinition definition, std::optional<OpenedModel> model = std::nullopt);
  // Begins a run with the data of --data and the members that are added to it.
  bool start(const std::string& data_json);
  // Drives the run until it ends or waits, and writes what happens.
  AgentDriver::End drive();
  // Writes the last line of standard output and returns the exit status.
  int report(const AgentDriver::End& end) const;

  loop::AgentRun& run() { return *run_; }
  const loop::Agent& agent() const { return *agent_; }
  const std::string& message() const { return message_; }

 private:
  void tell(const AgentMoment& moment);

  const AgentArguments& arguments_;
  const Engine engine_;
  const InterruptFlag interrupted_;
  std::string message_;
  ToolCommands commands_;
  std::optional<loop::Agent> agent_;
  std::optional<loop::AgentRun> run_;
  std::unique_ptr<ModelSource> source_;
  std::unique_ptr<AgentDriver> driver_;
  std::ofstream trace_;
  bool shows_progress_ = false;
};

}  // namespace ptcvm::cli
