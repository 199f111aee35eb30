// A tool that is a command: the arguments as one JSON object on its standard input, the answer as JSON on its standard
// output (nothing at all is nil), a non-zero exit status is a tool error with its standard error as the message. Its
// environment has PTCVM_IDEMPOTENCY_KEY: the same when the call is made again for the same intent, else another one
// (control characters and % as %XX). A command that was cut off, or whose answer cannot be read, may have done its
// work: that is an unknown outcome.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/calls/tools.h"

namespace ptcvm::cli {

// NAME=COMMAND. The command is split into words and started without a shell, or given to sh -c.
struct ExternalTool {
  std::string name;
  std::vector<std::string> command;
};

std::optional<ExternalTool> parse_external_tool(std::string_view text, bool with_shell, std::string& message);
ptc::ToolHandler external_tool_handler(ExternalTool tool);
// As an async tool: its output may also be {"pending": "ID", "immediate": …, "ttl_ms": …}, an operation that is
// resolved later.
ptc::ToolHandler external_async_tool_handler(ExternalTool tool);

// Asks a command whether a call happened: {"tool", "args", "key"} on its standard input;
// {"happened": true, "value": …}, {"happened": false}, or anything else for: it does not know.
ptc::ReconcileHandler external_reconcile_handler(ExternalTool command);

}  // namespace ptcvm::cli
