// Servers of the Model Context Protocol in a file of tools:
//
//   {"mcp": {"files": {"command": ["npx", "@modelcontextprotocol/server-filesystem", "."], "allow": ["read_file", …],
//                      "tools": {"write_file": {"effect": "keyed"}}}}}
//
// Each server is started and asked for its tools. docs/mcp.md is the page for users.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/value.hpp"
#include "tools/ptcvm/calls/staying_process.h"

namespace ptcvm::cli {

// A tool of a server, as an entry of the list of tools has it.
struct ServedTool {
  Value entry;
  std::string where;                             // the place of the tool in messages
  bool only_reads = false;                       // the server says so
  std::vector<std::string> notes;                // hints of the server, and what the signature does not say
  std::shared_ptr<StartedServer> started;        // the server that has listed the tool
};

// Reads the map of servers, starts them, and returns their tools. Folders are relative to `base`. Returns nullopt when
// something is wrong; `message` then says what, and where.
std::optional<std::vector<ServedTool>> list_servers(ValueView servers, const std::string& path, const std::string& base,
                                                    std::string& message);

}  // namespace ptcvm::cli
