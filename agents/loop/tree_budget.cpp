#include "agents/loop/tree_budget.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

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

using StateLimits = state::LimitsT;

constexpr std::pair<std::string_view, std::uint32_t StateLimits::*> kNumberLimits[] = {
    {"turns", &StateLimits::turns},
    {"retry_turns", &StateLimits::retry_turns},
    {"model_calls", &StateLimits::model_calls},
    {"tool_calls", &StateLimits::tool_calls},
    {"depth", &StateLimits::depth},
    {"fan_out", &StateLimits::fan_out}};
constexpr std::pair<std::string_view, std::uint64_t StateLimits::*> kSizeLimits[] = {
    {"tokens", &StateLimits::tokens},
    {"transcript_bytes", &StateLimits::transcript_bytes},
    {"program_bytes", &StateLimits::program_bytes}};
// These are not set when they are 0.
constexpr std::pair<std::string_view, std::uint64_t StateLimits::*> kChosenLimits[] = {
    {"money", &StateLimits::money}, {"observation_bytes", &StateLimits::observation_bytes}};

// Calls `visit` with the limit of that name, and with whether the limit is set. Returns false when there is none.
template <class Visit>
bool on_limit(StateLimits& limits, std::string_view name, const Visit& visit) {
  for (const auto& [known, member] : kNumberLimits) {
    if (known == name) return visit(limits.*member, true), true;
  }
  for (const auto& [known, member] : kSizeLimits) {
    if (known == name) return visit(limits.*member, true), true;
  }
  for (const auto& [known, member] : kChosenLimits) {
    if (known == name) return visit(limits.*member, limits.*member != 0), true;
  }
  return false;
}

std::uint64_t count_of(const std::optional<std::int64_t>& tokens) {
  return tokens && *tokens > 0 ? static_cast<std::uint64_t>(*tokens) : 0;
}

}  // namespace

std::string limit_names() {
  std::string names;
  const auto add = [&names](const auto& limits) {
    for (const auto& limit : limits) names.append(names.empty() ? "" : ", ").append(limit.first);
  };
  add(kNumberLimits);
  add(kSizeLimits);
  add(kChosenLimits);
  return names;
}

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
  return money_refusal();
}

// What children have reserved is kept for them. What the agents on the way down reserved is kept for this agent.
std::optional<TreeBudget::Refusal> TreeBudget::money_refusal() const {
  std::uint64_t ours = 0;
  for (const TreeBudget* at = this; at != nullptr; at = at->above_) {
    const state::NodeT& node = at->node_;
    const std::uint64_t limit = node.limits->money;
    if (limit == 0) continue;
    if (node.usage->unpriced > 0) {
      return Refusal{"budget_exhausted", "the limit money (" + std::to_string(limit) +
                                             ") cannot be kept: nobody knows what a reply of the model has cost"};
    }
    const std::uint64_t others = node.reserved_money - std::min(ours, node.reserved_money);
    if (node.usage->money >= limit || others >= limit - node.usage->money) {
      return used_up("budget_exhausted", "money", limit);
    }
    ours = node.own_reserve_money;
  }
  return std::nullopt;
}

TreeBudget* TreeBudget::money_above() const {
  TreeBudget* at = above_;
  while (at != nullptr && at->node_.limits->money == 0) at = at->above_;
  return at;
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

std::optional<TreeBudget::Refusal> TreeBudget::child_refusal(std::uint32_t turns, std::uint64_t money) const {
  if (auto refusal = query_refusal()) return refusal;
  const TreeBudget* const purse = node_.limits->money != 0 ? this : money_above();
  if (money != 0 && purse != nullptr) {
    const state::NodeT& node = purse->node_;
    const std::uint64_t limit = node.limits->money;
    const std::uint64_t after = limit - std::min(limit, node.usage->money);   // without what others have reserved
    const std::uint64_t left = after - std::min(after, node.reserved_money);
    if (money > left) {
      return Refusal{"budget_exhausted", "the child needs " + std::to_string(money) +
                                             " of money, and the limit money (" + std::to_string(limit) +
                                             ") has room for " + std::to_string(left)};
    }
  }
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

void TreeBudget::count_money(std::optional<std::uint64_t> millionths) {
  for (TreeBudget* at = this; at != nullptr; at = at->above_) {
    state::NodeT& node = at->node_;
    if (!millionths) {
      if (node.limits->money != 0) ++node.usage->unpriced;
      continue;
    }
    add_up_to_the_most(node.usage->money, *millionths);
    const std::uint64_t settled = std::min(*millionths, node.own_reserve_money);
    node.own_reserve_money -= settled;
    if (TreeBudget* const purse = settled == 0 ? nullptr : at->money_above()) {
      purse->node_.reserved_money -= std::min(settled, purse->node_.reserved_money);
    }
  }
}

void TreeBudget::reserve(std::uint32_t turns, std::uint64_t money) {
  node_.own_reserve = turns;
  for (TreeBudget* at = above_; at != nullptr; at = at->above_) at->node_.reserved_turns += turns;
  TreeBudget* const purse = money == 0 ? nullptr : money_above();
  if (purse == nullptr) return;
  node_.own_reserve_money = money;
  add_up_to_the_most(purse->node_.reserved_money, money);
}

void TreeBudget::give_back() {
  if (TreeBudget* const purse = node_.own_reserve_money == 0 ? nullptr : money_above()) {
    purse->node_.reserved_money -= std::min(node_.own_reserve_money, purse->node_.reserved_money);
  }
  node_.own_reserve_money = 0;
  for (TreeBudget* at = above_; at != nullptr; at = at->above_) {
    at->node_.reserved_turns -= std::min(node_.own_reserve, at->node_.reserved_turns);
  }
  node_.own_reserve = 0;
}

bool TreeBudget::raise(std::string_view name, std::uint64_t by) {
  state::LimitsT& limits = *node_.limits;
  if (name == "turns") add_up_to_the_most(limits.max_turns, by);
  return on_limit(limits, name, [by](auto& limit, bool is_set) {
    if (is_set) add_up_to_the_most(limit, by);
  });
}

std::optional<std::uint64_t> TreeBudget::limit(std::string_view name) const {
  std::optional<std::uint64_t> found;
  on_limit(*node_.limits, name, [&found](const auto& limit, bool is_set) {
    if (is_set) found = limit;
  });
  return found;
}

bool TreeBudget::lower(std::string_view name, std::uint64_t most) {
  return on_limit(*node_.limits, name, [most](auto& limit, bool is_set) {
    if (!is_set || limit > most) limit = static_cast<std::remove_reference_t<decltype(limit)>>(most);
  });
}

}  // namespace ptcvm::loop
