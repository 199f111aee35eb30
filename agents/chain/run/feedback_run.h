// Waits for what a person says about a task that has ended. The task has ended whatever becomes of this run.
#pragma once
#include <boost/json/object.hpp>
#include <optional>

#include "agents/chain/risk/operation.h"
#include "agents/chain/run/chain_run.h"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::chain {

// Belongs to one thread. Options, engine, store and the table must outlive it.
class FeedbackRun {
 public:
  FeedbackRun(const Engine& engine, const Store& store, const ChainOptions& options, OperationTable& operations)
      : engine_(engine), store_(store), options_(options), operations_(operations) {}

  // Asks for feedback when the outcome wants it, and reads what a person said.
  Result<void> step(const ChainOutcome& outcome);
  // Returns what a person said, or nullopt.
  const std::optional<boost::json::object>& said() const { return said_; }

 private:
  const Engine& engine_;
  const Store& store_;
  const ChainOptions& options_;
  OperationTable& operations_;
  std::optional<StoredRun> run_;
  std::optional<boost::json::object> said_;
  bool is_over_ = false;   // a person has answered, or need not
};

}  // namespace ptcvm::chain
