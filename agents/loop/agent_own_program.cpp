// Agents that ask no model: their definition has the program of the only turn.
#include <utility>

#include "agents/loop/agent_node.h"

namespace ptcvm::loop {

using state::TurnKind;

void AgentNode::use_own_program() { start_program(agent_.definition->program); }

// Ends the run: there is no model that could mend anything. A child that has failed tells its own reason.
void AgentNode::end_own_program(std::string reason, std::string message) {
  const bool is_of_child = reason == "tool_error" && agent_.host_tools.empty() && !agent_.children.empty();
  if (is_of_child) reason = "chained_failure";
  if (reason.empty()) reason = "fault";
  std::string feedback = "Error: " + reason + ": " + message;
  end_program(TurnKind::Fault, std::move(feedback), state::AfterProgram::Error, std::move(reason), std::move(message));
}

}  // namespace ptcvm::loop
