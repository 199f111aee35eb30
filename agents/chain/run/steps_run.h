// Executes one revision of a plan as a stored run, and hands its calls out as operations. The run has a turn for each
// revision, so tasks of earlier revisions are known to later ones.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/plan/gate.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/tool_signatures.h"
#include "agents/chain/risk/operation.h"
#include "agents/chain/text/model_usage.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::chain {

enum class StepsState : std::uint8_t { Yielded, Waits, Over };

// Belongs to one thread. Options, the store, the signatures and the table must outlive it.
class StepsRun {
 public:
  StepsRun(const Engine& engine, const Store& store, const ChainOptions& options, const ToolSignatures& signatures,
           OperationTable& operations);

  // Prepares the revision.
  Result<void> start(const Plan& plan, std::uint32_t revision, const PlanHistory& history);
  bool is_started() const { return run_.has_value(); }
  Result<StepsState> step(std::uint64_t fuel);

  // Say what became of an operation of the run.
  Result<void> answer(const OperationTable::Entry& entry, boost::json::value value, std::int64_t ms,
                      const ModelUsage& usage);
  Result<void> answer_error(const OperationTable::Entry& entry, std::string message, std::int64_t ms,
                            const ModelUsage& usage);
  Result<void> answer_unknown(const OperationTable::Entry& entry, std::string message);
  Result<void> settle(const OperationTable::Entry& entry, DoubtAnswer answer, boost::json::value value);

  // After Over: a row for each step (plan_program.h), and why the run ended early, or "".
  boost::json::array take_rows() { return std::move(rows_); }
  const std::string& error() const { return error_; }
  void finish() { run_.reset(); }
  const std::string& source() const { return source_; }   // the program started last, or ""
  // Signatures that a person approved for good while this object lived.
  const std::vector<std::string>& lasting_approvals() const { return lasting_approvals_; }

 private:
  Result<void> open();
  Result<bool> dispatch(const WaitingCall& call);
  Result<bool> gate(const WaitingCall& call);
  Result<bool> verify(const WaitingCall& call);
  Result<bool> hand_out(const WaitingCall& call);
  Result<void> answer_verdict(const OperationTable::Entry& entry, const boost::json::value& reply,
                              const ModelUsage& usage);
  Result<void> answer_question(const OperationTable::Entry& entry, const boost::json::value& value);
  Result<void> learn_decisions();
  std::optional<bool> decided(std::string_view signature) const;
  Result<bool> list_questions();
  Result<void> resolve(const std::string& question, bool is_approved);
  void list_doubts();
  Result<StepsState> end_turn();
  const PlanStep* find(std::string_view id) const;
  Tools program_tools() const;
  boost::json::object call_answer(const OperationTable::Entry& entry, std::int64_t ms) const;
  ChainOperation operation_for(const PlanStep& step, OperationKind kind, const WaitingCall& call) const;

  const Engine& engine_;
  const Store& store_;
  const ChainOptions& options_;
  const ToolSignatures& signatures_;
  OperationTable& operations_;
  const std::string run_id_;
  std::optional<StoredRun> run_;
  Plan plan_;
  std::map<std::string, std::size_t, std::less<>> step_at_;   // by id
  std::set<std::string, std::less<>> settled_by_call_;        // ids of steps
  std::set<std::uint64_t> unknown_calls_;   // of run_: nobody knows whether they happened, and a person will be asked
  std::uint32_t revision_ = 0;
  PlanHistory history_;
  ChainPolicy policy_;                      // has the doubts of the history, too
  Decisions decisions_;
  std::vector<std::string> lasting_approvals_;
  std::string source_;
  boost::json::array rows_;
  std::string error_;
};

// Returns the id of the stored run that executes the steps of a task.
std::string steps_run_id(std::string_view task_id);

// Returns the rows of steps that the log knows as settled, in plan order.
boost::json::array recorded_rows(const Store& store, const ChainOptions& options, const Plan& plan,
                                 std::uint32_t revision, const PlanHistory& history);

}  // namespace ptcvm::chain
