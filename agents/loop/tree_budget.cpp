#include "agents/loop/tree_budget.h"

#include <algorithm>
#include <limits>

namespace ptcvm::loop {

namespace {

template <class Number>
void add_up_to_the_most(Number& number, std::uint64_t by) {
  const std::uint64_t room = std::numeric_limits<Number>::max() - number;
  number = static_cast<Number>(number + static_cast<Number>(std::min(by, room)));
}

TreeBudget::Refusal used_up(std::string reason, const std::string& limit, std::uint64_t most) {
  std::string message = "the limit " + limit + " (" + std::to_string(most) + ") is used up";
  return {std::move(reason), std::move(message)};
}

std::uint64_t count_of(const std::optional<std::int64_t>& tokens) {
  return tokens && *tokens > 0 ? static_cast<std::uint64_t>(*tokens) : 0;
}

}  // namespace

std::optional<TreeBudget::Refusal> TreeBudget::turn_refusal() const {
  if (turns_ == Turns::Own) return std::nullopt;
  // Turns that this agent reserved are kept for it in the agents above.
  std::uint64_t reserved = 0;
  for (const TreeBudget* at = this; at != nullptr; at = at->above_) {
    const state::NodeT& node = at->node_;
    const std::uint64_t others = node.reserved_turns - std::min<std::uint64_t>(reserved, node.reserved_turns);
    if (node.usage->turns + others >= node.limits->turns) {
      return used_up("turn_budget_exhausted", "turns", node.limits->turns);
    }
    reserved = std::max<std::uint64_t>(reserved, node_.own_reserve);
  }
  return std::nullopt;
}

std::optional<TreeBudget::Refusal> TreeBudget::model_refusal() const {
  for (const TreeBudget* at = this; at != nullptr; at = at->above_) {
    const state::LimitsT& limits = *at->node_.limits;
    const state::UsageT& usage = *at->node_.usage;
    if (usage.model_calls >= limits.model_calls) {
      return used_up("budget_exhausted", "model_calls", limits.model_calls);
    }
    if (usage.input + usage.output >= limits.tokens) return used_up("budget_exhausted", "tokens", limits.tokens);
  }
  return std::nullopt;
}

std::optional<TreeBudget::Refusal> TreeBudget::tool_refusal() const {
  for (const TreeBudget* at = this; at != nullptr; at = at->above_) {
    if (at->node_.usage->tool_calls < at->node_.limits->tool_calls) continue;
    return used_up("tool_call_limit_exceeded", "tool_calls", at->node_.limits->tool_calls);
  }
  return std::nullopt;
}

std::optional<TreeBudget::Refusal> TreeBudget::query_refusal() const {
  if (node_.children.size() < node_.limits->fan_out) return std::nullopt;
  return used_up("fan_out_exceeded", "fan_out", node_.limits->fan_out);
}

std::optional<TreeBudget::Refusal> TreeBudget::child_refusal(std::uint32_t turns) const {
  if (auto refusal = query_refusal()) return refusal;
  for (const TreeBudget* at = this; at != nullptr; at = at->above_) {
    const state::NodeT& node = at->node_;
    if (level() + 1 > at->level() - 1 + node.limits->depth) {
      return Refusal{"max_depth_exceeded", "the limit depth is " + std::to_string(node.limits->depth)};
    }
    const std::uint64_t taken = std::uint64_t{node.usage->turns} + node.reserved_turns;
    if (taken + turns <= node.limits->turns) continue;
    const std::uint64_t left = node.limits->turns - std::min<std::uint64_t>(taken, node.limits->turns);
    return Refusal{"turn_budget_exhausted",
                   "the child needs " + std::to_string(turns) + " turns, and the limit turns (" +
                       std::to_string(node.limits->turns) + ") has room for " + std::to_string(left)};
  }
  return std::nullopt;
}

void TreeBudget::count_turn() {
  ++node_.usage->turns;
  if (turns_ == Turns::Own) return;
  const bool is_reserved = node_.own_reserve > 0;
  if (is_reserved) --node_.own_reserve;
  for (TreeBudget* at = above_; at != nullptr; at = at->above_) {
    ++at->node_.usage->turns;
    if (is_reserved && at->node_.reserved_turns > 0) --at->node_.reserved_turns;
  }
}

void TreeBudget::count_model_call() {
  for (TreeBudget* at = this; at != nullptr; at = at->above_) ++at->node_.usage->model_calls;
}

void TreeBudget::take_back_model_call() {
  for (TreeBudget* at = this; at != nullptr; at = at->above_) --at->node_.usage->model_calls;
}

void TreeBudget::count_tool_call() {
  for (TreeBudget* at = this; at != nullptr; at = at->above_) ++at->node_.usage->tool_calls;
}

void TreeBudget::count_fuel(std::uint64_t fuel) {
  for (TreeBudget* at = this; at != nullptr; at = at->above_) add_up_to_the_most(at->node_.usage->fuel, fuel);
}

void TreeBudget::count_tokens(const wire::TokenUsage& used) {
  for (TreeBudget* at = this; at != nullptr; at = at->above_) {
    state::UsageT& usage = *at->node_.usage;
    add_up_to_the_most(usage.input, count_of(used.input));
    add_up_to_the_most(usage.cached, count_of(used.cached));
    add_up_to_the_most(usage.cache_written, count_of(used.cache_written));
    add_up_to_the_most(usage.output, count_of(used.output));
    add_up_to_the_most(usage.reasoning, count_of(used.reasoning));
  }
}

void TreeBudget::reserve(std::uint32_t turns) {
  node_.own_reserve = turns;
  for (TreeBudget* at = above_; at != nullptr; at = at->above_) at->node_.reserved_turns += turns;
}

void TreeBudget::give_back() {
  for (TreeBudget* at = above_; at != nullptr; at = at->above_) {
    at->node_.reserved_turns -= std::min(node_.own_reserve, at->node_.reserved_turns);
  }
  node_.own_reserve = 0;
}

bool TreeBudget::raise(std::string_view name, std::uint64_t by) {
  state::LimitsT& limits = *node_.limits;
  if (name == "turns") {
    add_up_to_the_most(limits.max_turns, by);
    add_up_to_the_most(limits.turns, by);
  } else if (name == "retry_turns") {
    add_up_to_the_most(limits.retry_turns, by);
  } else if (name == "model_calls") {
    add_up_to_the_most(limits.model_calls, by);
  } else if (name == "tool_calls") {
    add_up_to_the_most(limits.tool_calls, by);
  } else if (name == "tokens") {
    add_up_to_the_most(limits.tokens, by);
  } else if (name == "depth") {
    add_up_to_the_most(limits.depth, by);
  } else if (name == "fan_out") {
    add_up_to_the_most(limits.fan_out, by);
  } else if (name == "transcript_bytes") {
    add_up_to_the_most(limits.transcript_bytes, by);
  } else if (name == "program_bytes") {
    add_up_to_the_most(limits.program_bytes, by);
  } else {
    return false;
  }
  return true;
}

}  // namespace ptcvm::loop
