// Replies of the model that a task has used, its planner's and its agents': what they have cost, by what they were for.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/agent/agent_cost.h"

namespace ptcvm::cli {

// A reply that is about to be used.
struct ChainReply {
  std::string key;                   // names the request and its attempt
  std::string what;                  // "intent", "plan", "verify s1", "step s1"
  const loop::ModelChoice& choice;   // the model that was asked
  const loop::ModelReply& reply;
};

// Notes the reply with the task, and what it costs at these prices. Replies of a script are not used twice.
Result<void> keep_reply(const Store& store, const std::string& id, const ChainReply& reply,
                        const loop::ModelPrices& prices);
Result<std::size_t> kept_replies_of(const Store& store, const std::string& id);
// Adds the replies up by what they were for and by model, at these prices; null: each reply at what the log says that
// it has cost. CostLine::agent has what they were for.
Result<std::vector<CostLine>> chain_cost_lines(const Store& store, const std::string& id,
                                               const loop::ModelPrices* prices);

}  // namespace ptcvm::cli
