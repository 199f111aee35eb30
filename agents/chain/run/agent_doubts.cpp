#include "agents/chain/run/agent_doubts.h"

#include <algorithm>
#include <utility>

#include "agents/chain/report/step_results.h"

namespace ptcvm::chain {

ChainOperation doubt_operation(const AgentDoubt& doubt, const std::string& step, std::uint32_t revision) {
  ChainOperation operation;
  operation.kind = OperationKind::Doubt;
  operation.key = doubt.key;
  operation.step = step;
  operation.tool = doubt.tool;
  operation.path = doubt.path;
  operation.text = doubt.args_json;
  operation.revision = revision;
  return operation;
}

void AgentDoubts::list(const ChainOperation& step, DoubtingAgent agent) {
  operations_.remove_all(OperationOwner::StepAgent, step.step);
  for (const AgentDoubt& doubt : agent.doubts) {
    operations_.add(doubt_operation(doubt, step.step, step.revision), OperationOwner::StepAgent);
  }
  agents_.insert_or_assign(step.step, std::move(agent));
}

Result<void> AgentDoubts::tell(const ChainOperation& doubt, DoubtAnswer answer, const boost::json::value& output) {
  const auto agent = agents_.find(doubt.step);
  if (agent == agents_.end()) return Error{Errc::wrong_state, "the agent has no doubts", std::nullopt};
  const auto found = std::ranges::find(agent->second.doubts, doubt.key, &AgentDoubt::key);
  if (found == agent->second.doubts.end()) return Error{Errc::wrong_state, "the agent has no such doubt", std::nullopt};
  return agent->second.tell(*found, answer, output);
}

std::string AgentDoubts::error_of(const std::string& step) const {
  const auto found = agents_.find(step);
  if (found == agents_.end()) return doubt_error({});
  std::set<std::string> tools = found->second.called_tools;
  for (const AgentDoubt& doubt : found->second.doubts) tools.insert(doubt.tool);
  return doubt_error(tools);
}

ModelUsage AgentDoubts::usage_of(const std::string& step) const {
  const auto found = agents_.find(step);
  return found == agents_.end() ? ModelUsage() : found->second.usage;
}

void AgentDoubts::forget(const std::string& step) {
  agents_.erase(step);
  operations_.remove_all(OperationOwner::StepAgent, step);
}

}  // namespace ptcvm::chain
