// Calls that may or may not have happened.
#include <algorithm>

#include "agents/loop/agent_node.h"
#include "agents/loop/doubt_names.h"

namespace ptcvm::loop {

state::OperationT* AgentNode::find_doubt(std::string_view name) {
  for (const auto& operation : node_.operations) {
    const bool is_doubt = operation->kind == state::OperationKind::Doubt;
    if (is_doubt && doubt_name(operation->name, operation->doubts) == name) return operation.get();
  }
  return nullptr;
}

bool AgentNode::is_in_doubt() const {
  const auto is_doubt = [](const auto& call) { return call->kind == state::OperationKind::Doubt; };
  return std::ranges::any_of(node_.operations, is_doubt) ||
         std::ranges::any_of(children_, [](const auto& child) { return child->is_in_doubt(); });
}

std::string AgentNode::doubt_path(std::string_view name) const {
  const auto call = std::ranges::find_if(node_.operations, [&](const auto& one) { return one->name == name; });
  const bool is_numbered = tree_.numbers_doubts() && call != node_.operations.end();
  return path_of(doubt_name(name, is_numbered ? (*call)->doubts + 1 : 1));
}

// A call that was made again is a new question.
Result<void> AgentNode::doubt(std::string_view name) {
  auto* const called = has_program() ? find_operation(name, state::OperationKind::Tool) : nullptr;
  if (called == nullptr || (called->is_pending && !called->is_begun)) return unknown(name);
  called->kind = state::OperationKind::Doubt;
  if (tree_.numbers_doubts()) {
    ++called->doubts;
  } else {
    forget_settled(doubt_name(name, 1));
  }
  return {};
}

}  // namespace ptcvm::loop
