// What a server of the Model Context Protocol can do wrong. A client that finds a failure takes no further message: who
// runs the server stops it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptcvm::mcp {

enum class McpFault : std::uint8_t {
  NotJson,         // a message is no JSON, or JSON deeper than kMostDepth
  TooLarge,        // a message is larger than kMostMessageBytes
  NoMemory,        // a message takes more memory than there is for it, or the list of tools does
  NotAMessage,     // JSON, and no request, notification or response of JSON-RPC 2.0
  WrongMember,     // a member that is missing, or that has another type than the protocol says
  UnknownId,       // a response to a request that was never made
  AnsweredTwice,   // a second response to one request
  Refused,         // an error in answer to initialize or tools/list
  WrongVersion,    // a version of the protocol that this client does not speak
  NoTools,         // the server says that it has no tools
  EndlessList,     // more than kMostPages pages of tools, or a page that leads back to an earlier one
  TooManyTools,    // more than kMostTools tools
  SameTool,        // two tools with one name
};

// Returns the name of the fault: "not_json".
std::string_view fault_name(McpFault fault);

struct McpFailure {
  McpFault fault{};
  std::string detail;

  // Returns "not_json: …".
  std::string text() const;
};

}  // namespace ptcvm::mcp
