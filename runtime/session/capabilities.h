// What a snapshot says about the tools that its programs name, and whether the tools of a host are still the same.
#pragma once
#include <string>

#include "runtime/calls/tools.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

HostTool host_tool(const Tool& tool);   // returns the tool as a snapshot describes it
// Returns the report about every tool that is missing or has another signature, effect or mode; "" when all are there.
std::string missing_capabilities(const HostState& state, const ToolRegistry& tools);

}  // namespace ptc
