// Lists the data of an agent for its model: names, types and short samples.
#pragma once
#include <boost/json/object.hpp>
#include <string>

#include "agents/loop/agent_impl.h"

namespace ptcvm::loop {

// Returns a line for each entry, sorted by name. Values whose names begin with "_" are hidden.
std::string data_inventory(const CompiledAgent& agent, const boost::json::object& data);

}  // namespace ptcvm::loop
