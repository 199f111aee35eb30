// What the models of a task have cost, and how much they may cost: the planner, the judges of checks, and the agents of
// steps with all that is below them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ptcvm/store.hpp"
#include "tools/ptcvm/chain/chain_money.h"
#include "tools/ptcvm/chain/chain_replies.h"

namespace ptcvm::cli {

class ChainBudget {
 public:
  // Reads what the log of the task says of its replies, and how often its limit was raised.
  static Result<ChainBudget> read(const Store& store, const std::string& id, ChainMoney money);

  // Notes a reply with the task and counts it.
  Result<void> keep(const Store& store, const std::string& id, const ChainReply& reply);
  // Returns why nobody may be asked any more, as a name, a colon and a sentence; "": somebody may be asked.
  std::string refusal() const;
  bool is_limited() const { return money_.most != 0; }
  // Returns how much may be spent, in millionths. There must be a limit.
  std::uint64_t left() const { return money_.most - std::min(spent_, money_.most); }
  const loop::ModelPrices& prices() const { return money_.prices; }

 private:
  explicit ChainBudget(ChainMoney money) : money_(std::move(money)) {}

  ChainMoney money_;                         // its limit has what was added
  std::uint64_t spent_ = 0;                  // in millionths
  bool is_known_ = true;                     // false: nobody knows what a reply has cost
};

// Adds to the limit of money of a task, for the requests that follow.
Result<void> raise_money(const Store& store, const std::string& id, std::uint64_t by);

}  // namespace ptcvm::cli
