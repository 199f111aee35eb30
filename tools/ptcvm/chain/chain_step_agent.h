// An action of a plan without a tool, as `ptcvm chain` does it: by an agent with the description of the step as its
// prompt and the arguments as its data. The agent may call the tools of the task, as far as the gate allows that
// without asking anybody. Its run is in the store of the task, so that no turn is paid for twice.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/run/agent_doubts.h"
#include "agents/chain/risk/operation.h"
#include "agents/chain/text/model_usage.h"
#include "agents/loop/stored_agent.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/chain/chain_budget.h"

namespace ptcvm::cli {

// What agents of steps have of their task.
struct StepAgentTask {
  std::vector<loop::AgentTool> tools;
  chain::ChainPolicy policy = {};
  Limits program_limits = loop::default_program_limits();
  std::string runs = {};   // a job: with this the ids of the runs begin, "ID/agents/", as the ids of its parts do
  // As StoredAgentOptions has them; without a clock it is the one of this machine.
  std::function<std::optional<Effect>(std::string_view tool)> effect_of = {};
  std::function<bool(std::string_view agent)> keeps_requests = {};
  std::function<std::int64_t()> clock = {};
  const ChainBudget* budget = nullptr;   // what the task may spend; outlives its agents
};

class StepAgent {
 public:
  // Begins the run of a step, or goes on with the one that the store has. `is_virtual` says that the agent waits for
  // no clock. Errors: as StoredAgent::open().
  static Result<std::unique_ptr<StepAgent>> open(const Engine& engine, const Store& store,
                                                 const chain::ChainOperation& step, const StepAgentTask& task,
                                                 const loop::ModelChoice& model, bool is_virtual);

  // How the step ended.
  struct End {
    boost::json::value value;        // what the agent returned
    std::string error;               // why it failed: a name, a colon and a sentence; "" when it did not
    chain::ModelUsage usage;
  };
  // Returns why the agent, which has just been opened, may not ask its model for the first time: the task has no money
  // left; "" when it may.
  std::string refusal() const;
  // Runs programs until the agent needs its model or a tool. Returns how it ended, or nullopt while it waits for
  // requests(), for the time of its next attempt, or, when a person can be asked, for what people say about doubting().
  Result<std::optional<End>> step();
  // Returns the requests and calls that must be made now, each once. Their paths have no name of the step.
  std::vector<loop::Operation> requests() { return stored_->take_orders(); }
  Result<void> answer(std::string_view path, const loop::ModelReply& reply);
  // Say what became of a call.
  Result<void> answer_call(std::string_view path, const boost::json::value& value);
  Result<void> answer_call_error(std::string_view path, std::string_view message);
  Result<void> doubt(std::string_view path) { return stored_->doubt(path); }
  // Lets a request wait for a time, as its server wants it.
  Result<void> defer(std::string_view path, std::int64_t due_ms) { return stored_->defer_model(path, due_ms); }
  // Returns whether only people, and maybe time, can go on with the agent: nobody knows whether it has made a call.
  bool is_in_doubt() const;
  // Returns the calls in doubt, without a way to tell what became of them: that is tell_step_agent().
  Result<chain::DoubtingAgent> doubting() const;
  // Leaves the run to people. Arrived: somebody has told it something meanwhile, and it goes on with step().
  Result<loop::AgentLeft> park() { return stored_->park(); }
  const std::string& run_id() const { return log_->id(); }
  const std::string& step_id() const { return step_; }
  std::uint64_t fencing_token() const { return stored_->fencing_token(); }
  // Returns the time for which the agent waits; nullopt: it waits for requests(), or for nothing.
  std::optional<std::int64_t> due_ms() const;

 private:
  StepAgent(bool is_virtual, std::function<std::int64_t()> clock)
      : is_virtual_(is_virtual), clock_(std::move(clock)), virtual_ms_(clock_()) {}
  std::int64_t now_ms() const { return is_virtual_ ? virtual_ms_ : clock_(); }
  Result<std::optional<End>> end();
  std::optional<End> fail(std::string why) const;
  chain::ModelUsage usage() const;
  Result<void> keep_within_budget();
  // Returns the tools that may not be called twice and that the agent has called.
  Result<std::set<std::string>> called_unsafe() const;

  const bool is_virtual_;
  const std::function<std::int64_t()> clock_;
  std::int64_t virtual_ms_;          // the virtual time, in ms since 1970
  std::optional<loop::StoredAgent> stored_;
  std::optional<HostLog> log_;       // what the store has of the run
  std::string step_;
  std::set<std::string> unsafe_tools_;
  const ChainBudget* budget_ = nullptr;
  bool asks_people_ = false;         // about calls in doubt; otherwise they fail the step
};

}  // namespace ptcvm::cli
