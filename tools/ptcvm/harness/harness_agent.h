// Agents that plan conversations: for --planner agent:FILE, and for workers.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/harness/pass/planner.h"
#include "agents/loop/agent_definition.h"
#include "agents/loop/rate_limits.h"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/agent/agent_tools.h"

namespace ptcvm::cli {

// Returns whether --planner names an agent file.
bool is_agent_planner(std::string_view planner);
// Reads that file. nullopt, with the reason: it cannot be used.
std::optional<loop::AgentDefinition> planner_agent(const std::string& planner, std::string& message);

// What a worker gives to a planner; all of it outlives the planner. The planner leaves its pass (PassLeft) when it must
// wait for a server, when `leave` is set and nothing is under way, and when `abandon` is set.
struct PlannerWork {
  const ToolCommands& commands;          // the worker has them; the file has none
  loop::RateLimits& rates;
  const std::atomic<bool>& leave;
  const std::atomic<bool>& abandon;
  std::function<std::int64_t()> now_ms;
};

// An agent that plans, the model that it asks, and what the model costs.
struct PlanningAgent {
  loop::AgentDefinition definition;
  OpenedModel model;
  loop::ModelPrices prices;
};

// Makes the planner. Without `work` the tools are the commands of the file. nullptr, with the reason: the agent or the
// store cannot be used, or there is a limit of money and the model has no price.
std::unique_ptr<harness::Planner> agent_planner(PlanningAgent agent, const Store& store,
                                                const std::string& conversation, const PlannerWork* work,
                                                std::string& message);

}  // namespace ptcvm::cli
