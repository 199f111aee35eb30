// A server of the Model Context Protocol that is a process of this machine: its tools, and its calls.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/mcp_tool.h"
#include "drivers/mcp/mcp_protocol.h"
#include "drivers/stdio/call_process.h"

namespace ptcvm::mcp {

struct McpServerOptions {
  stdio::StayingProgram program;
  std::size_t in_flight = 1;                     // the most calls at once
  std::chrono::milliseconds start{30'000};       // the time for the handshake, and for the list of tools
  std::function<void(std::string_view lines)> on_errors = [](std::string_view) {};   // lines of its standard error
};

// Makes the process, which starts with the first call. It ends by itself when its standard input is closed, or is
// killed after a second.
std::unique_ptr<stdio::CallProcess> make_mcp_process(McpServerOptions options);

// A server that was asked for its tools, and that can take calls.
struct ListedServer {
  std::unique_ptr<stdio::CallProcess> process;   // null: `message` says why there are no tools
  std::vector<McpTool> tools;
  std::string message;
};
// Starts a server and reads its tools. Blocks for the time of the options at most.
ListedServer list_mcp_server(McpServerOptions options);

}  // namespace ptcvm::mcp
