// Plays a tool of a scenario with a model: the model makes up what the tool would answer.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/harness/planners/model_text.h"
#include "agents/harness/setup/scenario.h"

namespace ptcvm::harness {

// A call of a tool of a scenario, and what the tool may know.
struct OracleCall {
  const ScenarioAgent& agent;
  const ScenarioTool& tool;
  const boost::json::object& args;
  std::string_view conversation;   // what was said so far
};

// Returns {"reasoning": …, "output": …} as the model wrote it, after at most three attempts. Errors: the last one.
Result<boost::json::object> play_tool(const OracleCall& call, const AskModel& ask, const PauseModel& pause);

// Returns the documents of an output: {"name", "mimeType", "bytes"} each, in base64. An output without documents is one
// document as a whole, under `fallback_name`.
std::vector<boost::json::object> documents_of(const boost::json::value& output, const std::string& fallback_name);

// Returns the bytes in base64.
std::string base64(std::string_view bytes);

}  // namespace ptcvm::harness
