// A tool that is a command: the arguments as one JSON object on its standard input, the answer as JSON on its standard
// output (nothing at all is nil), a non-zero exit status is a tool error with its standard error as the message.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tools.h"

namespace ptcvm {

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

}  // namespace ptcvm
