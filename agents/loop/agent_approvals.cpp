// Calls that a person allows. The program of a sync tool waits at the call. The program of an async tool has the handle
// at once, since rules 7, so all calls that it makes are asked about together.
#include <string>

#include "agents/loop/agent_node.h"

namespace ptcvm::loop {

// Returns whether the program has the handle of a call before somebody has allowed the call.
bool AgentNode::is_asked_behind_handle(std::string_view tool) const {
  const auto found = agent_.host_tools.find(tool);
  return found != agent_.host_tools.end() && found->second->asks && found->second->mode == ToolMode::Async &&
         tree_.asks_behind_handles();
}

void AgentNode::ask_about(const WaitingCall& call, state::OperationT& operation) {
  operation.kind = state::OperationKind::Approval;
  operation.is_pending = true;
  static_cast<void>(session().run().answer_pending(call.id, operation.name));   // the call waits: it was just listed
}

// Makes a call or refuses it, as a person has decided.
Result<void> AgentNode::decide_call(std::string_view name, bool is_allowed, std::string_view why) {
  auto* const asked = find_operation(name, state::OperationKind::Approval);
  if (asked == nullptr) return loop_error(Errc::unknown_operation, "no such operation waits");
  Run& run = session().run();
  if (!asked->is_pending) {
    auto decided = run.decide(asked->key, is_allowed, is_allowed ? std::string() : std::string(why));
    if (decided && !is_allowed) remove_operation(std::string(name));
    return decided;
  }
  const auto refusal = is_allowed ? budget_.tool_refusal() : std::nullopt;
  if (!is_allowed || refusal) {
    auto told = run.resolve_error(asked->name, refusal ? refusal->reason + ": " + refusal->message : std::string(why));
    if (told) remove_operation(std::string(name));
    return told;
  }
  budget_.count_tool_call();
  asked->kind = state::OperationKind::Tool;
  asked->is_begun = true;
  return {};
}

}  // namespace ptcvm::loop
