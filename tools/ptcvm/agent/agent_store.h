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
  bool knows_past = true;          // false: nobody knows what the turns cost that a fork shares
};

// Writes how the run is begun, unless the log says it already.
Result<void> keep_command(const Store& store, const std::string& id, const KeptCommand& command, std::int64_t now_ms);
// Writes which models answer from now on, unless the log says it already.
Result<void> keep_choice(const Store& store, const std::string& id, const loop::ModelChoice& choice,
                         const ChildModels& children, std::int64_t now_ms);
// Returns how the run was begun. Error: invalid_value when the log does not say it.
Result<KeptCommand> kept_command(const Store& store, const std::string& id);

// One request to a model, as the log has it.
struct KeptRequest {
  std::string path;          // the path of the operation: "broker/model"
  std::string agent;         // the path of the agent: "broker"
  std::uint32_t turn = 1;    // the turn of the root in which it was sent
  loop::ModelChoice choice;  // the model that was asked
  std::optional<loop::ModelReply> reply;   // nullopt: none has come
  bool is_lost = false;      // none can come, because the process died that waited for it
};
// Returns the requests that a run has sent, in their order.
Result<std::vector<KeptRequest>> kept_requests(const Store& store, const std::string& id);
// Returns the paths of the agents whose models have replied, one for each reply.
Result<std::vector<std::string>> used_replies(const Store& store, const std::string& id);

// What a process notes about a run when it leaves the run, so that a replay can be compared with it.
struct AgentMark {
  std::uint64_t fuel = 0;
  std::string document_hash;   // SHA-256 of AgentRun::snapshot()
  std::uint32_t format = 2;    // how the document was written; 1: an earlier version lacks some members
  bool is_of_same(const AgentMark& other) const { return fuel == other.fuel && document_hash == other.document_hash; }
};
AgentMark mark_of(const loop::AgentRun& run);
// Adds what a process notes to the log of a run. `reason` says why the run could not go on, or is "".
Result<void> keep_mark(const Store& store, const std::string& id, const AgentMark& mark, const std::string& reason,
                       std::int64_t now_ms);
// Returns why the process that left the run last could not go on with it, or "".
std::string reason_left(const Store& store, const std::string& id);
// Reads a fact that keep_mark() wrote. Returns nullopt for every other fact.
std::optional<AgentMark> read_mark(const HostFact& fact);

// Visits the facts of a log in their order.
Result<void> for_each_fact(const Store& store, const std::string& id,
                           const std::function<void(const HostFact&)>& visit);
// Makes the agent of a run from the definition and the model that the log has.
Result<loop::Agent> read_agent_of(const Engine& engine, const Store& store, const std::string& id);

// The agent of a run with the models that answered from a place of its log on.
struct AgentFrom {
  std::uint64_t seq;   // the place of the fact that names the models; 0 for the first agent
  loop::Agent agent;
};
// Returns them in the order of the log, at least one; a fact that names the models before it again adds none.
Result<std::vector<AgentFrom>> read_agents_of(const Engine& engine, const Store& store, const std::string& id);
// Returns the one that answered at a place.
const AgentFrom& agent_at(const std::vector<AgentFrom>& agents, std::uint64_t seq);
using AgentChoice = std::function<std::optional<loop::Agent>(std::uint64_t seq)>;
// Returns StoredAgentOptions::agent_at for a run that goes on with the last of the agents.
AgentChoice chosen_from(std::vector<AgentFrom> agents);
// Returns it for a run that goes on with the models that the log names last.
Result<AgentChoice> agent_of_log(const Engine& engine, const Store& store, const std::string& id);

}  // namespace ptcvm::cli
