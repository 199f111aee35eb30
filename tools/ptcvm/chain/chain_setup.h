// How a task of `ptcvm chain` was begun: what a person wants, its tools with their commands, its strategy, its model.
// The store keeps all of that, so that later commands name the store and the task alone.
#pragma once
#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/loop/agent_definition.h"
#include "ptcvm/host_log.hpp"
#include "ptcvm/limits.hpp"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/calls/external_tool.h"
#include "tools/ptcvm/calls/tools_file.h"
#include "tools/ptcvm/chain/chain_money.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// What the command line says.
struct ChainArguments {
  std::string input, tools, model, record, strategy, verify = "nobody", output = "text";
  std::string prices;                    // the file of --prices, or ""
  std::vector<std::string> limits;       // LIMIT=NUMBER of --limit
  std::uint32_t revisions = 3, parallel = 4;
  bool progress = false, program = false;
  StoreOptions store;   // also the id of the task
};

void declare_chain_task(CLI::App& command, ChainArguments& arguments);      // TEXT and the next ones
// --tools, --strategy, --verify, --revisions, --parallel, --limit. Returns --tools.
CLI::Option* declare_chain_options(CLI::App& command, ChainArguments& arguments);
// --model, which is returned, --record and --prices.
CLI::Option* declare_chain_model(CLI::App& command, ChainArguments& arguments);
void declare_chain_store(CLI::App& command, ChainArguments& arguments);     // --store and --id, both required
void declare_chain_progress(CLI::App& command, ChainArguments& arguments);  // --progress
void declare_chain_output(CLI::App& command, ChainArguments& arguments);    // --output of a report

struct ChainSetup {
  std::string input, model, verify = "nobody";
  std::uint32_t revisions = 3, parallel = 4;
  boost::json::array tools;        // as agent files have them: name, signature, description, effect, command
  std::vector<DeclaredTool> served;   // the tools that MCP servers have
  std::vector<std::string> external;  // names of tools that others run, and that may do more than read
  boost::json::object strategy;    // as docs/task-chain.md describes it
  bool checks_signatures = true;   // false: a version without this check has begun the task
  bool asks_after_doubts = true;   // as ChainOptions has it; false: as for checks_signatures
  bool is_job = false;             // workers execute the task: its tools have no commands here
  ChainMoney money = {};           // a job has no prices: its worker has them
  std::optional<Limits> limits = {};   // a job: for programs of its agents; nullopt: no worker has begun it

  // Reads the files that the arguments name. Returns nullopt when one cannot be read; `message` then says why.
  static std::optional<ChainSetup> of(const ChainArguments& arguments, std::string& message);
  // Takes a tool that others run as external.
  void note_external(const DeclaredTool& tool);
  // Returns the options of the chain. Returns nullopt when a tool or the strategy is wrong; `message` then says why.
  std::optional<chain::ChainOptions> options(const std::string& id, std::string& message) const;
  std::vector<std::string> tool_names() const;
  // Returns the tools for agents of steps; the tools must be right.
  std::vector<loop::AgentTool> agent_tools() const;
  // Returns the commands of the tools; the tools must be right.
  CommandTools commands() const;
};

// Returns the log beside the log of a task: its setup, and the replies of models.
std::string setup_log(const std::string& id);
// Writes a fact, with the time of now.
Result<void> put_host_fact(const Store& store, const std::string& log, HostFact fact);
// Calls visit() for every fact of a log, in order.
Result<void> visit_host_facts(const Store& store, const std::string& log,
                              const std::function<void(const HostFact& fact)>& visit);

// Writes a setup as JSON, and reads that; nullopt for a text that write_setup() did not write.
std::string write_setup(const ChainSetup& setup);
std::optional<ChainSetup> read_setup(const std::string& text);

// Writes the setup, unless the store has one for the task already.
Result<void> keep_setup(const Store& store, const std::string& id, const ChainSetup& setup);
// Returns the setup, or nullopt when nobody has begun such a task in the store.
Result<std::optional<ChainSetup>> kept_setup(const Store& store, const std::string& id);
// Returns the ids of the tasks in the store, in their order.
Result<std::vector<std::string>> task_ids(const Store& store);

// Calls visit() for every fact that the tasks of a tenant share under that name, in order.
Result<void> visit_shared_facts(const Store& store, const StoreOptions& place, const std::string& name,
                                const std::function<void(const HostFact& fact)>& visit);

// Signatures that people have approved for good, in their order.
Result<std::vector<std::string>> approved_signatures(const Store& store, const StoreOptions& place);
Result<void> approve_signature(const Store& store, const StoreOptions& place, const std::string& signature,
                               bool is_approved, const std::string& by);

}  // namespace ptcvm::cli
