// The state of a ChainRun, and what it does with answers (chain_answers.cpp).
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/chain/plan/tool_signatures.h"
#include "agents/chain/planning/planning.h"
#include "agents/chain/run/agent_doubts.h"
#include "agents/chain/run/chain_run.h"
#include "agents/chain/run/feedback_run.h"
#include "agents/chain/run/steps_run.h"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::chain {

class ChainRun::Impl {
 public:
  Impl(const Engine& engine, const Store& store, ChainOptions options)
      : engine_(engine), store_(store), options_(std::move(options)), planning_(options_, signatures_),
        steps_(engine_, store_, options_, signatures_, operations_),
        feedback_(engine_, store_, options_, operations_) {}

  Result<void> start();
  Result<ChainState> step(std::uint64_t fuel);
  Result<void> answer(std::uint64_t id, boost::json::value value, std::chrono::milliseconds took,
                      const ModelUsage& usage);
  Result<void> answer_error(std::uint64_t id, std::string message, std::chrono::milliseconds took,
                            const ModelUsage& usage);
  Result<void> refuse(std::uint64_t id, std::string error);
  Result<void> answer_unknown(std::uint64_t id, std::string message);
  Result<void> doubt_calls(std::uint64_t id, DoubtingAgent agent);
  Result<void> settle(std::uint64_t id, DoubtAnswer answer, boost::json::value output);

  const OperationTable& operations() const { return operations_; }
  const std::optional<ChainOutcome>& outcome() const { return outcome_; }
  const std::optional<boost::json::object>& feedback() const { return feedback_.said(); }
  const std::vector<std::string>& lasting_approvals() const { return steps_.lasting_approvals(); }
  std::string plan_program() const { return steps_.source(); }
  boost::json::array plan() const { return planning_.newest_plan(); }

 private:
  // Serves the call of the driver; nullopt: it is answered, and the driver goes on.
  Result<std::optional<ChainState>> serve(const WaitingCall& call, std::uint64_t fuel);
  Result<std::optional<ChainState>> say(std::uint64_t call, const boost::json::value& value);
  Result<std::optional<ChainState>> ask_model(const WaitingCall& call, std::string purpose, std::string prompt);
  Result<std::optional<ChainState>> execute_steps(std::uint64_t call, std::uint32_t revision, std::uint64_t fuel);
  Result<std::optional<ChainState>> offer_report(const WaitingCall& call);
  boost::json::object ran(std::uint32_t revision);
  void know_rows(std::uint32_t revision);
  Result<void> recall();
  Result<ChainState> finish();
  void forget(std::uint64_t id);   // takes an operation that has its answer off the list
  Result<void> settle_of_agent(ChainOperation doubt, DoubtAnswer answer, boost::json::value output);
  static Error no_operation(std::uint64_t id);

  const Engine engine_;
  const Store store_;
  const ChainOptions options_;
  OperationTable operations_;
  ToolSignatures signatures_;
  Planning planning_;
  StepsRun steps_;
  AgentDoubts agent_doubts_{operations_};
  FeedbackRun feedback_;
  std::optional<StoredRun> driver_;
  std::optional<ChainOutcome> outcome_;
  std::uint32_t asked_ = 0;   // the revision that a person asked for; 0: nobody did
  std::optional<boost::json::object> report_;   // the last one that this process gave to the driver
  // While the steps of a revision run, the driver waits for them. It is stepped now and then, which renews its claim.
  std::optional<std::pair<std::uint64_t, std::uint32_t>> steps_call_;   // the call, and the revision
  std::uint32_t steps_since_driver_ = 0;
};

}  // namespace ptcvm::chain
