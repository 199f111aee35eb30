// Calls in doubt of planners: what a person says about them reaches the conversation, so that its pass goes on.
#pragma once
#include <optional>
#include <string>

#include "agents/harness/conversation/conversation.h"
#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// Returns whether the id is one of a run of an agent that plans a conversation.
bool is_agent_planner_run(const std::string& run);

// Tells the conversation of this run, if the run belongs to one, that a call was settled. Error: store_failed.
Result<void> wake_conversation_of(const Store& store, const std::string& run, const harness::Author& author);

// Answers the question of an agent that plans about a call in doubt; `doubt` is what `doubt list` shows. Error:
// invalid_value when the agent has asked no such question, or it is answered.
Result<void> settle_agent_planner(const Store& store, const std::string& run, const std::string& doubt,
                                  const std::string& answer, const harness::Author& author);

}  // namespace ptcvm::cli
