// Drives a task: asks the model, starts the commands of tools, and gives the answers to the task, until the task has
// ended or waits for a person.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/chain/run/chain_run.h"
#include "agents/loop/rate_limits.h"
#include "agents/wire/reply.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/chain/chain_checklist.h"
#include "tools/ptcvm/chain/chain_job_log.h"
#include "tools/ptcvm/chain/chain_replies.h"
#include "tools/ptcvm/chain/chain_step_agent.h"

namespace ptcvm::cli {

class ChainDriver {
 public:
  // What a driver needs from others; all of it outlives the driver.
  struct Parts {
    const Engine& engine;
    const Store& store;             // keeps the agents of steps
    ModelSource& model;
    const loop::ModelChoice& choice;
    const CommandTools& tools;
    StepAgentTask agents;           // what agents of steps may use
    std::size_t parallel = 1;
    const std::atomic<bool>& interrupted;
    std::function<void(const ChainMoment& moment)> on_moment;           // what has begun or ended
    std::function<void()> on_tick;                                      // while something is waited for
    std::function<Result<void>(const ChainReply& reply)> on_reply;
    // For a worker. The log keeps requests and replies, and a time that has to pass ends the drive. `draining` set:
    // begins nothing, waits for what is under way, and ends with Interrupted.
    ChainJobLog* log = nullptr;
    loop::RateLimits* rates = nullptr;
    const std::atomic<bool>* draining = nullptr;
    std::function<std::int64_t()> clock = {};   // ms since 1970; without it the clock of this machine
    const ChainBudget* budget = nullptr;        // counts what on_reply is told
  };
  explicit ChainDriver(Parts parts);

  struct End {
    enum class Kind : std::uint8_t { Ended, Waits, Interrupted, ModelFailed, Failed };
    Kind kind{};
    std::optional<Error> error;   // Failed
    std::string message;          // ModelFailed
    std::optional<std::int64_t> due_ms = {};   // Waits: also for this time
  };
  // Drives the task. `is_over` is asked after each step: true ends the drive as if the task waited.
  End drive(chain::ChainRun& run, const std::function<bool()>& is_over = {});

 private:
  Result<bool> begin(chain::ChainRun& run);
  void begin_call(const chain::ChainOperation& operation);
  Result<bool> ask(chain::ChainRun& run, const chain::ChainOperation& operation);
  void send(const chain::ChainOperation& operation, const std::string& key);
  Result<bool> may_send(const std::string& key);
  Result<void> send_of_agent(StepAgent& agent, std::uint64_t operation, loop::Operation request);
  bool is_at_work() const;
  End waits() const;
  void begin_recorded(const chain::ChainRun& run);
  std::int64_t now_ms() const;
  Result<bool> work(chain::ChainRun& run, const chain::ChainOperation& operation);
  Result<bool> leave_in_doubt(chain::ChainRun& run, const chain::ChainOperation& operation);
  std::optional<End> give_to_agent(const ModelAnswer& answer);
  std::optional<End> take_answers(chain::ChainRun& run);
  Result<void> give_call(chain::ChainRun& run, CommandCalls::Ended ended);
  std::optional<End> give_reply(chain::ChainRun& run, const ModelAnswer& answer);
  Result<void> note_rate(const loop::ModelReply& reply);
  std::optional<End> refused(const chain::ChainOperation& operation, std::uint32_t attempt, int status,
                             const wire::Reply& reply);
  void tell(const ChainMoment& moment) const;

  struct Asked {
    chain::ChainOperation operation;
    std::uint32_t attempt = 1;   // counts the requests for one reply
  };

  // A call that the agent of a step makes.
  struct AgentCall {
    std::uint64_t operation = 0, id = 0;   // the step's, and the number of the command
    loop::Operation request;
    bool is_begun = false;
  };
  void begin_agent_call(AgentCall& call);
  bool may_be_repeated(const loop::Operation& call) const;
  Result<void> give_agent_call(const CommandCalls::Ended& ended);

  Parts parts_;
  CommandCalls calls_;
  std::map<std::uint64_t, chain::ChainOperation> started_;   // calls of tools, by operation
  std::map<std::string, Asked> asked_;                       // requests in flight, by path
  std::map<std::uint64_t, std::unique_ptr<StepAgent>> agents_;   // at work, by operation
  std::map<std::uint64_t, std::optional<std::int64_t>> in_doubt_;   // agents that wait for people, and until when
  std::set<std::string> told_;                               // keys of doubts of which an agent was told
  std::map<std::string, loop::Operation> agent_requests_;    // requests of agents in flight, by OPERATION/PATH
  std::vector<AgentCall> agent_calls_;
  std::optional<std::int64_t> due_ms_;                       // a request that is sent later
  std::uint64_t next_agent_call_ = std::uint64_t{1} << 62;   // no operation has such a number
};

}  // namespace ptcvm::cli
