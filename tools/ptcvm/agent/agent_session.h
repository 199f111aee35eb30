// One run of `ptcvm agent`: the model that answers, the tools that it calls, and the run that is driven.
#pragma once
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "agents/wire/reply_reader.h"
#include "ptcvm/engine.hpp"
#include "tools/ptcvm/agent/agent_arguments.h"
#include "tools/ptcvm/agent/agent_child_models.h"
#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/agent/agent_driver.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/process/interrupt.h"

namespace ptcvm::cli {

// Lowers the limits of the run that --limit names.
Result<void> lower_limits(AgentHandle& agent, const AgentArguments& arguments);

class AgentSession {
 public:
  explicit AgentSession(const AgentArguments& arguments) : arguments_(arguments) {}

  // Opens the model and the files, and makes the agent. Returns false when that fails, and message() says why. A source
  // that is given takes the place of the one that --model names.
  bool open(loop::AgentDefinition definition, std::optional<OpenedModel> model = std::nullopt);
  // Says how the replies that a store has were asked for: later requests are made in the same way.
  void ask_as(const loop::ModelChoice& kept, const ChildModels& of_children) {
    kept_choice_ = kept;
    kept_children_ = of_children;
  }
  // Says at which prices a run was begun. This process has the same prices, unless --prices says others.
  void price_as(const loop::ModelPrices& kept) { prices_ = kept; }
  const loop::ModelPrices& prices() const { return prices_; }
  const loop::ModelChoice& choice() const { return choice_; }
  const ChildModels& child_models() const { return child_models_; }
  // Adds commands of tools that the command line does not name. A later command replaces an earlier one.
  void add_commands(const ToolCommands& commands);
  // Keeps the tools of files with a run of a store, and warns of those that have changed since they were kept.
  Result<void> keep_tools_of_files(const Store& store) const;
  // Returns whether a run can begin with the data; message() says why not.
  bool accepts(const std::string& data_json);
  // Begins a run in memory.
  bool start(const std::string& data_json);
  // Goes on with a run in memory. Nobody knows what became of its calls that may not be repeated and have no answer: a
  // person says it.
  bool restore(const std::string& document, std::uint64_t sequence);
  // Begins a run in a store, or goes on with the run of that id. `replies` says which replies of the model the run has
  // used, by the paths of agents.
  Result<void> open_stored(const Store& store, const std::string& data_json, const std::vector<std::string>& replies);
  // Drives the run until it ends or waits, and writes what happens.
  AgentDriver::End drive();
  // Writes the last line of standard output and returns the exit status. A run of a store is left before.
  int report(const AgentDriver::End& end);

  // Returns what the run has cost; "?" when nobody knows it, "" without prices.
  std::string spent_text() const;
  // Leaves a run of a store that was not driven. Its requests, which nobody was sent, are taken back.
  void leave();

  AgentHandle& handle() { return *handle_; }
  const loop::Agent& agent() const { return *agent_; }
  const std::string& message() const { return message_; }

 private:
  bool open_files();
  bool has_needed_prices(const loop::AgentDefinition& definition);
  bool knows_what_is_spent() const;
  void count_cost(const loop::ModelChoice& choice, const loop::ModelReply& reply);
  bool open_models(const loop::AgentDefinition& definition, std::optional<OpenedModel> model);
  bool take_kept_manner(loop::ModelChoice& choice, const loop::ModelChoice& kept, const std::string& model);
  // Returns whether a process calls the tool. Else people answer its calls, and know what became of them.
  bool has_command(const std::string& tool) const;
  void tell(const AgentMoment& moment);
  void show_bytes(std::string_view path, std::string_view bytes);

  const AgentArguments& arguments_;
  const Engine engine_;
  const InterruptFlag interrupted_;
  std::string message_;
  ToolCommands commands_;
  ToolTexts tool_texts_;                         // what --tools says
  std::optional<loop::Agent> agent_;
  std::unique_ptr<AgentHandle> handle_;
  KeptAgent* kept_ = nullptr;                    // handle_, when a store keeps the run
  loop::ModelChoice choice_;
  ChildModels child_models_;
  std::optional<loop::ModelChoice> kept_choice_;
  ChildModels kept_children_;
  std::unique_ptr<loop::RateLimits> rates_;
  std::map<std::string, std::unique_ptr<wire::ReplyReader>, std::less<>> streams_;   // what is shown, by path
  std::unique_ptr<ModelSource> source_;
  std::unique_ptr<AgentDriver> driver_;
  std::ofstream trace_;
  loop::ModelPrices prices_;
  std::uint64_t spent_ = 0;                      // by the replies that came, each at the prices of its model
  bool is_spent_known_ = true;                   // false: nobody knows what a reply has cost
  std::optional<Store> store_;                   // the store that keeps the run
  std::uint64_t sequence_ = 0;                   // counts the sealed files of the run
  bool shows_progress_ = false;
};

}  // namespace ptcvm::cli
