// Tools that are commands, as functions: for programs that no command driver steps, such as planners of conversations.
#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tools/ptcvm/calls/tools_file.h"

namespace ptcvm::cli {

// Returns the tools that have a command; each call waits for its command. Commands are stopped when `cancelled` becomes
// true. nullopt, with the reason: a signature cannot be read.
std::optional<Tools> program_tools(const std::vector<DeclaredTool>& declared, const std::atomic<bool>& cancelled,
                                   std::string& message);

}  // namespace ptcvm::cli
