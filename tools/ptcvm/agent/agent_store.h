// What `ptcvm agent` keeps in the log of a run besides the facts of the run, and what it reads from there.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/agent/agent_child_models.h"
#include "tools/ptcvm/agent/agent_driver.h"

namespace ptcvm::cli {

// How a run was begun, for `agent resume`, which is given neither the model nor the commands again. No key is in it.
struct KeptCommand {
  std::string model;
  bool stream = false;
  ToolCommands tools;              // the words of --tool and --tool-shell; files of tools have a log (kept_tools.h)
  loop::ModelChoice choice = {};   // how requests were made
  ChildModels children = {};       // the models of children
  std::uint32_t rate = 0;          // of --rate; 0: as the servers say
  Limits limits = loop::default_program_limits();   // of programs
  loop::ModelPrices prices = {};   // of --prices
};

// Writes how the run is begun, unless the log says it already.
Result<void> keep_command(const Store& store, const std::string& id, const KeptCommand& command, std::int64_t now_ms);
// Writes which models answer from now on, unless the log says it already.
Result<void> keep_choice(const Store& store, const std::string& id, const loop::ModelChoice& choice,
                         const ChildModels& children, std::int64_t now_ms);
// Returns how the run was begun. Error: invalid_value when the log does not say it.
Result<KeptCommand> kept_command(const Store& store, const std::string& id);

// One reply of a model, as the log has it.
struct KeptReply {
  std::string path;          // the path of the operation: "broker/model"
  std::string agent;         // the path of the agent: "broker"
  std::uint32_t turn = 1;    // the turn of the root in which the reply came
  loop::ModelChoice choice;  // the model that was asked
  loop::ModelReply reply;
};
// Returns the replies of a run in their order.
Result<std::vector<KeptReply>> kept_replies(const Store& store, const std::string& id);

// What a process notes about a run when it leaves the run, so that a replay can be compared with it.
struct AgentMark {
  std::uint64_t fuel = 0;
  std::string document_hash;   // SHA-256 of AgentRun::snapshot()
  bool operator==(const AgentMark&) const = default;
};
AgentMark mark_of(const loop::AgentRun& run);
// Adds what a process notes to the log of a run.
Result<void> keep_mark(const Store& store, const std::string& id, const AgentMark& mark, std::int64_t now_ms);
// Reads a fact that keep_mark() wrote. Returns nullopt for every other fact.
std::optional<AgentMark> read_mark(const HostFact& fact);

// Visits the facts of a log in their order.
Result<void> for_each_fact(const Store& store, const std::string& id,
                           const std::function<void(const HostFact&)>& visit);
// Makes the agent of a run from the definition and the model that the log has.
Result<loop::Agent> read_agent_of(const Engine& engine, const Store& store, const std::string& id);

}  // namespace ptcvm::cli
