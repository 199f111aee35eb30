// A scenario: who plays, and which tools each agent has. People write scenarios as JSON and put them under a URL.
//
//   {"title": …, "agents": [{"agentId": …, "systemPrompt": …, "messageToUseWhenInitiatingConversation": …,
//                            "tools": [{"toolName": …, "description": …, "endsConversation": true}]}]}
#pragma once
#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/result.hpp"

namespace ptcvm::harness {

struct ScenarioTool {
  std::string name, description, guidance;
  bool ends_conversation = false;
};

struct ScenarioAgent {
  std::string id, prompt, first_message;
  std::vector<ScenarioTool> tools;
  const ScenarioTool* tool(std::string_view name) const;   // nullptr: the agent has no such tool
  std::vector<std::string> tool_names() const;
};

struct Scenario {
  std::string title;
  std::vector<ScenarioAgent> agents;   // one or more
  // Returns the agent of this id, or the first one.
  const ScenarioAgent& agent_or_first(std::string_view id) const;
  bool has_agent(std::string_view id) const;
};

// Reads a scenario. The document may be inside of {"config": …}. Ids of agents are used once, names of tools once by
// each agent, and no tool has the name of an action (is_action() in planner_seed.h). Error: invalid_value; the message
// has a line for each thing that is wrong, at most 1,000 bytes.
Result<Scenario> read_scenario(const boost::json::object& document);

// Loads the document of a URL. The host has the network; it refuses bodies of more than kMostBodyBytes.
using FetchJson = std::function<Result<boost::json::object>(const std::string& url)>;

}  // namespace ptcvm::harness
