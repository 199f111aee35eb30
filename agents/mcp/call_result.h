// The result of tools/call as a program sees it.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <variant>

#include "agents/mcp/mcp_failure.h"

namespace ptcvm::mcp {

struct CallResult {
  bool is_error = false;   // the tool says that the call failed
  std::string text;        // JSON of the answer, or why the call failed
};

// Makes the answer: structuredContent when there is one, else the text of blocks that are all text (with a line end
// between two of them), else the list of blocks as the server sent them. A result without blocks is null.
std::variant<CallResult, McpFailure> read_call_result(const boost::json::value& result);

}  // namespace ptcvm::mcp
