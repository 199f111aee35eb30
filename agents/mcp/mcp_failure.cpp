#include "agents/mcp/mcp_failure.h"

namespace ptcvm::mcp {

std::string_view fault_name(McpFault fault) {
  switch (fault) {
    case McpFault::NotJson: return "not_json";
    case McpFault::TooLarge: return "too_large";
    case McpFault::NoMemory: return "no_memory";
    case McpFault::NotAMessage: return "not_a_message";
    case McpFault::WrongMember: return "wrong_member";
    case McpFault::UnknownId: return "unknown_id";
    case McpFault::AnsweredTwice: return "answered_twice";
    case McpFault::Refused: return "refused";
    case McpFault::WrongVersion: return "wrong_version";
    case McpFault::NoTools: return "no_tools";
    case McpFault::EndlessList: return "endless_list";
    case McpFault::TooManyTools: return "too_many_tools";
    case McpFault::SameTool: return "same_tool";
  }
  return "";
}

std::string McpFailure::text() const { return std::string(fault_name(fault)) + ": " + detail; }

}  // namespace ptcvm::mcp
