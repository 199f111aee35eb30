// A tool as a server lists it (tools/list), and what a program sees of the tool: a legal name, a signature, a
// description, an effect class.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agents/mcp/mcp_failure.h"
#include "ptcvm/tools.hpp"

namespace ptcvm::mcp {

// What a server says about the effects of a tool. Nobody has checked it.
struct ToolHints {
  std::optional<bool> read_only, destructive, idempotent, open_world;
};

struct McpTool {
  std::string name, title, description;
  boost::json::object input_schema;
  std::optional<boost::json::object> output_schema;
  ToolHints hints;
};

// Reads an element of "tools". `where` names it in failures: "tools[3]".
std::variant<McpTool, McpFailure> read_mcp_tool(const boost::json::value& value, const std::string& where);

struct ToolOffer {
  std::string name;          // prefix, and the name with _ for what no name of a tool may have
  std::string signature;     // "" when the schemas cannot be said as a signature: nothing is checked
  std::string description;   // with what the schema says about the parameters
  Effect effect = Effect::Unsafe;
  bool only_reads = false;   // the server says so, and does not say that it may destroy
  std::vector<std::string> losses;   // parts of the schemas that the signature does not say, as JSON pointers
  std::vector<std::pair<std::string, std::string>> renamed;   // parameters by the name in calls, and by the one sent
};

// Makes the offer. A tool that says that it only reads is idempotent: a durable run keeps its answer, and makes a call
// in doubt again. Every other tool is unsafe, also one that calls itself idempotent: a person can say otherwise.
ToolOffer offer_of(const McpTool& tool, std::string_view prefix);

}  // namespace ptcvm::mcp
