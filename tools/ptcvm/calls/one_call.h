// One call of a tool that is a command, waited for.
#pragma once
#include <atomic>
#include <string>

#include "tools/ptcvm/calls/external_tool.h"

namespace ptcvm::cli {

// Starts the command and waits for its answer. The command is stopped when `cancelled` becomes true; then nobody knows
// what became of the call. `call` says the tool, the key and the numbers; its arguments are in `args_json`.
CommandReply call_command(const ExternalTool& tool, WaitingCall call, std::string args_json,
                          const std::atomic<bool>& cancelled);

}  // namespace ptcvm::cli
