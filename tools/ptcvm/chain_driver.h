// Drives a task: asks the model, starts the commands of tools, and gives the answers to the task, until the task has
// ended or waits for a person.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "agents/chain/chain_run.h"
#include "tools/ptcvm/agent_models.h"
#include "tools/ptcvm/chain_step_agent.h"
#include "tools/ptcvm/command_calls.h"

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
    std::size_t parallel = 1;
    const std::atomic<bool>& interrupted;
    std::function<void(const std::string& line)> on_progress;           // what has begun or ended
    std::function<Result<void>(const std::string& key)> on_reply;       // a reply of the model is about to be used
  };
  explicit ChainDriver(Parts parts);

  struct End {
    enum class Kind : std::uint8_t { Ended, Waits, Interrupted, ModelFailed, Failed };
    Kind kind{};
    std::optional<Error> error;   // Failed
    std::string message;          // ModelFailed
  };
  // Drives the task. `is_over` is asked after each step: true ends the drive as if the task waited.
  End drive(chain::ChainRun& run, const std::function<bool()>& is_over = {});

 private:
  Result<bool> begin(chain::ChainRun& run);
  void begin_call(const chain::ChainOperation& operation);
  void ask(const chain::ChainOperation& operation);
  Result<bool> work(chain::ChainRun& run, const chain::ChainOperation& operation);
  std::optional<End> give_to_agent(const ModelAnswer& answer);
  std::optional<End> take_answers(chain::ChainRun& run);
  Result<void> give_call(chain::ChainRun& run, CommandCalls::Ended ended);
  std::optional<End> give_reply(chain::ChainRun& run, const ModelAnswer& answer);
  void tell(const std::string& line) const;

  struct Asked {
    chain::ChainOperation operation;
    std::uint32_t attempt = 1;   // counts the requests for one reply
  };

  Parts parts_;
  CommandCalls calls_;
  std::map<std::uint64_t, chain::ChainOperation> started_;   // calls of tools, by operation
  std::map<std::string, Asked> asked_;                       // requests in flight, by path
  std::map<std::uint64_t, std::unique_ptr<StepAgent>> agents_;   // at work, by operation
  std::map<std::string, loop::Operation> agent_requests_;    // requests of agents in flight, by OPERATION/PATH
};

}  // namespace ptcvm::cli
