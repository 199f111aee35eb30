// The strategy file of a task: what is denied, what is confirmed, which paths are safe, what a person prefers.
#pragma once
#include <boost/json/object.hpp>
#include <string>

#include "agents/chain/chain.h"

namespace ptcvm::cli {

// Puts the strategy and what the process knows (the working folder, the home folder) into the options, and gives the
// planner the context. Returns false when a member has the wrong type; `message` then says which one.
bool apply_strategy(const boost::json::object& strategy, chain::ChainOptions& options, std::string& message);

}  // namespace ptcvm::cli
