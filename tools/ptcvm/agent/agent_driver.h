// Drives a run of an agent: asks the model, starts the commands of tools, lets time pass, and gives the answers to the
// run, until the run has ended or waits for somebody else.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/loop/rate_limits.h"
#include "tools/ptcvm/agent/agent_handle.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/agent/agent_tools.h"
#include "tools/ptcvm/calls/command_calls.h"

namespace ptcvm::cli {

// What happens while a run goes on, for progress, traces and streams.
struct AgentMoment {
  enum class Kind : std::uint8_t { ModelStart, ModelEnd, ToolStart, ToolEnd, Wait };
  Kind kind{};
  const loop::Operation* operation = nullptr;   // valid during the call
  std::string text;                             // ModelEnd: status of HTTP; ToolEnd: the answer or the error
  std::int64_t time_ms = 0;
  const loop::ModelReply* reply = nullptr;      // ModelEnd: what came; valid during the call
};
using OnMoment = std::function<void(const AgentMoment&)>;

class AgentDriver {
 public:
  // What a driver needs from others; all of it outlives the driver.
  struct Parts {
    ModelSource& model;
    const ToolCommands& commands;
    const std::atomic<bool>& interrupted;
    OnMoment on_moment;
    loop::RateLimits& rates;
    // For a worker. `draining` set: begins nothing that is not in the log, waits for what is under way, and ends with
    // Interrupted. A timer that is further away than `longest_wait_ms` suspends the run.
    const std::atomic<bool>* draining = nullptr;
    std::int64_t longest_wait_ms = 10 * 60 * 1000;
    std::function<std::int64_t()> clock = {};   // ms since 1970; without it the clock of this machine
    std::function<std::optional<Effect>(std::string_view tool)> effect_of = {};   // as StoredAgentOptions has it
  };
  explicit AgentDriver(Parts parts);

  struct End {
    enum class Kind : std::uint8_t { Ended, Suspended, Interrupted, ModelFailed, StoreFailed };
    Kind kind{};
    std::string reason, message;   // ModelFailed, StoreFailed
  };
  End drive(AgentHandle& agent);
  // Returns the time of the run, in ms since 1970.
  std::int64_t now_ms() const;

 private:
  static std::optional<End> failure_of(const Error& error);
  std::vector<loop::Operation> operations_of(const AgentHandle& agent, bool drains);
  std::int64_t wall_ms() const;

  enum class Progress : std::uint8_t { Again, Waits, Stuck };

  Result<Progress> begin(AgentHandle& agent, const std::vector<loop::Operation>& operations);
  Result<bool> begin_model(AgentHandle& agent, const loop::Operation& operation);
  std::string command_of(const loop::Operation& operation);
  Result<bool> begin_tool(AgentHandle& agent, const loop::Operation& operation);
  std::optional<End> take_answers(AgentHandle& agent, const std::vector<loop::Operation>& operations);
  std::optional<End> give_tool_answer(AgentHandle& agent, CommandCalls::Ended ended);
  Result<void> give_json(AgentHandle& agent, const loop::Operation& operation, const CommandReply& reply) const;
  bool may_be_repeated(const loop::Operation& operation) const;
  Result<void> give_unknown(AgentHandle& agent, const loop::Operation& operation, const std::string& why) const;
  std::optional<End> give_model_answer(AgentHandle& agent, const std::vector<loop::Operation>& operations,
                                       ModelAnswer answer);
  std::optional<std::chrono::steady_clock::time_point> deadline_of(const loop::Operation& operation) const;
  bool has_overdue_call(const std::vector<CommandCalls::Ended>& ended = {}) const;
  std::vector<CommandCalls::Ended> ended_calls();
  bool is_timer_due(const std::vector<loop::Operation>& operations) const;
  bool wait_for_timer(const std::vector<loop::Operation>& operations);
  void tell(AgentMoment::Kind kind, const loop::Operation& operation, std::string text = {}) const;

  Parts parts_;
  CommandTools tools_;                                 // by the names that command_of() gives them
  CommandCalls calls_;
  std::set<std::string> asked_;                        // keys and attempts of requests that were sent
  struct Started {
    loop::Operation operation;
    std::optional<std::chrono::steady_clock::time_point> deadline;   // the run ends then
  };
  std::map<std::uint64_t, Started> started_;           // calls of tools, by number
  std::map<std::string, std::uint64_t> call_of_path_;
  std::uint64_t last_call_ = 0;
  std::size_t models_in_flight_ = 0;
  std::set<std::string> stepped_;                      // orders that are in the log, by path and key
  std::vector<ModelAnswer> held_;                      // answers whose virtual time has not come
  std::int64_t virtual_ms_ = 0;
  std::optional<End> failed_;                          // the model failed while commands run, which are waited for
};

}  // namespace ptcvm::cli
