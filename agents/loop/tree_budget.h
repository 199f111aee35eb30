// Counts what an agent uses, in its own state and in the states of all agents above it, and refuses what goes beyond a
// limit of any of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent_state_generated.h"
#include "agents/wire/reply.h"

namespace ptcvm::loop {

// Returns the names of all limits that can be raised and lowered, for messages.
std::string limit_names();

class TreeBudget {
 public:
  // Says whether turns count in the agents above, too. The turn of an llm-query does not: it is one call of a model.
  enum class Turns : std::uint8_t { Counted, Own };
  // `above` is the budget of the parent, or null. Both outlive the budget.
  TreeBudget(state::NodeT& node, TreeBudget* above, Turns turns) : node_(node), above_(above), turns_(turns) {}

  // A limit that is used up: the reason that ends a run, and a message that names the limit.
  struct Refusal {
    std::string reason, message;
  };
  // Return why another turn, request or call may not begin, or nullopt.
  std::optional<Refusal> turn_refusal() const;
  std::optional<Refusal> model_refusal() const;
  std::optional<Refusal> tool_refusal() const;
  // Returns why a child with so many turns, and with a limit of money when it is not 0, may not begin in this agent.
  std::optional<Refusal> child_refusal(std::uint32_t turns, std::uint64_t money) const;
  // Returns why no further question to a model may begin beside those that wait.
  std::optional<Refusal> query_refusal() const;

  void count_turn();
  void count_model_call();
  void take_back_model_call();         // for a request that was not sent, or that asked no model
  void count_tool_call();
  void count_fuel(std::uint64_t fuel);
  void count_tokens(const wire::TokenUsage& used);
  // Counts what a reply has cost; nullopt when nobody knows it.
  void count_money(std::optional<std::uint64_t> millionths);

  // Keeps turns for this agent in all agents above it, and money in the next one that has a limit of money. Gives back
  // what was not used.
  void reserve(std::uint32_t turns, std::uint64_t money);
  void give_back();

  std::uint32_t level() const { return above_ == nullptr ? 1 : above_->level() + 1; }
  // Adds to a limit of this agent by its name. Returns false when there is no such limit. A limit that is not set stays
  // so.
  bool raise(std::string_view name, std::uint64_t by);
  // Lowers a limit of this agent to at most `most`. Returns false when there is no such limit.
  bool lower(std::string_view name, std::uint64_t most);
  std::optional<std::uint64_t> limit(std::string_view name) const;   // nullopt: not set, or no such limit

 private:
  TreeBudget* money_above() const;     // the next agent above with a limit of money, or null
  std::optional<Refusal> money_refusal() const;
  state::NodeT& node_;
  TreeBudget* const above_;
  const Turns turns_;
};

}  // namespace ptcvm::loop
