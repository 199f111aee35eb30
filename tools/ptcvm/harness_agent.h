// --planner agent:FILE: an agent plans a conversation.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "agents/harness/planner.h"
#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// Returns whether --planner names an agent file.
bool is_agent_planner(std::string_view planner);

// Makes the planner of agent:FILE with the model of --model (agent_models.h); tools are the commands of the file.
// nullptr, with the reason: the file or the model cannot be used.
std::unique_ptr<harness::Planner> agent_planner(const std::string& planner, const std::string& model,
                                                const Store& store, const std::string& conversation,
                                                std::string& message);

}  // namespace ptcvm::cli
