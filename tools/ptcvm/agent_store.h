// What `ptcvm agent` keeps in the log of a run besides the facts of the run, and what it reads from there.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/agent_driver.h"

namespace ptcvm::cli {

// How a run was begun, for `agent resume`, which is given neither the model nor the commands again. No key is in it.
struct KeptCommand {
  std::string model;
  bool stream = false;
  ToolCommands tools;
  loop::ModelChoice choice = {};   // how requests were made
};

// Writes how the run is begun, unless the log says it already.
Result<void> keep_command(const Store& store, const std::string& id, const KeptCommand& command, std::int64_t now_ms);
// Returns how the run was begun. Error: invalid_value when the log does not say it.
Result<KeptCommand> kept_command(const Store& store, const std::string& id);

// One reply of a model, as the log has it.
struct KeptReply {
  std::string path;          // of the operation: "broker/model"
  std::string agent;         // the path of the agent: "broker"
  std::uint32_t turn = 1;    // the turn of the root in which the reply came
  loop::ModelReply reply;
};
// Returns the replies of a run in their order.
Result<std::vector<KeptReply>> kept_replies(const Store& store, const std::string& id);

// Makes a run from its log without claiming the log, for looking at the run. Error: invalid_value when the store has no
// such run.
Result<loop::AgentRun> read_run(const Engine& engine, const Store& store, const std::string& id);
// Makes the agent of a run from the definition and the model that the log has.
Result<loop::Agent> read_agent_of(const Engine& engine, const Store& store, const std::string& id);

}  // namespace ptcvm::cli
