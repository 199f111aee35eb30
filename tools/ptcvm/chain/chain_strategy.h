// The strategy file of a task: what is denied, what is confirmed, which paths are safe, what a person prefers.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agents/chain/chain.h"

namespace ptcvm::cli {

// Reads the file. Returns nullopt when a member is unknown or written twice, or when a list names a tool that `tools`
// does not have; `message` then names it, and what there is.
std::optional<boost::json::object> read_strategy(const std::string& path, const std::vector<std::string>& tools,
                                                 std::string& message);

// Puts the strategy and what the process knows (the working folder, the home folder) into the options, and gives the
// planner the context. Returns false when a member has the wrong type; `message` then says which one.
bool apply_strategy(const boost::json::object& strategy, chain::ChainOptions& options, std::string& message);

}  // namespace ptcvm::cli
