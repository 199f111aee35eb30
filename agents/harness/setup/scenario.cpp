#include "agents/harness/setup/scenario.h"

#include <algorithm>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostScenarioErrorBytes = 1'000;

class ScenarioReader {
 public:
  Scenario read(const json::object& document) {
    Scenario scenario;
    scenario.title = text_of(document, "title");
    const json::array* const agents = array_at(document, "agents");
    if (agents == nullptr || agents->empty()) wrong("agents: there must be a list with one agent or more");
    for (std::size_t i = 0; agents != nullptr && i < agents->size(); ++i) {
      const std::string place = "agents[" + std::to_string(i) + "]";
      const json::object* const agent = (*agents)[i].if_object();
      if (agent == nullptr) {
        wrong(place + ": must be an object");
        continue;
      }
      ScenarioAgent read = read_agent(*agent, place);
      if (scenario.has_agent(read.id)) wrong(place + ".agentId: \"" + read.id + "\" is there twice");
      scenario.agents.push_back(std::move(read));
    }
    return scenario;
  }
  const std::string& errors() const { return errors_; }

 private:
  ScenarioAgent read_agent(const json::object& object, const std::string& place) {
    ScenarioAgent agent;
    agent.id = text_of(object, "agentId");
    if (agent.id.empty()) wrong(place + ".agentId: must be a text");
    agent.prompt = text_of(object, "systemPrompt");
    agent.first_message = text_of(object, "messageToUseWhenInitiatingConversation");
    const json::array* const tools = array_at(object, "tools");
    for (std::size_t i = 0; tools != nullptr && i < tools->size(); ++i) {
      const json::object* const tool = (*tools)[i].if_object();
      const std::string name(tool == nullptr ? std::string_view{} : text_of(*tool, "toolName"));
      if (const std::string why = wrong_tool_name(agent, name); !why.empty()) {
        wrong(place + ".tools[" + std::to_string(i) + "].toolName: " + why);
        continue;
      }
      agent.tools.push_back({name, std::string(text_of(*tool, "description")),
                             std::string(text_of(*tool, "synthesisGuidance")), is_true(*tool, "endsConversation")});
    }
    return agent;
  }

  static std::string wrong_tool_name(const ScenarioAgent& agent, const std::string& name) {
    if (name.empty()) return "must be a text";
    if (is_action(name)) return '"' + name + "\" is an action of the planner; give the tool another name";
    if (agent.tool(name) != nullptr) return '"' + name + "\" is there twice";
    return {};
  }

  void wrong(const std::string& what) {
    if (!errors_.empty()) errors_ += '\n';
    errors_ += what;
  }

  std::string errors_;
};

}  // namespace

const ScenarioTool* ScenarioAgent::tool(std::string_view name) const {
  const auto found = std::ranges::find(tools, name, &ScenarioTool::name);
  return found == tools.end() ? nullptr : &*found;
}

std::vector<std::string> ScenarioAgent::tool_names() const {
  std::vector<std::string> names;
  for (const ScenarioTool& tool : tools) names.push_back(tool.name);
  return names;
}

const ScenarioAgent& Scenario::agent_or_first(std::string_view id) const {
  const auto found = std::ranges::find(agents, id, &ScenarioAgent::id);
  return found == agents.end() ? agents.front() : *found;
}

bool Scenario::has_agent(std::string_view id) const {
  return std::ranges::find(agents, id, &ScenarioAgent::id) != agents.end();
}

Result<Scenario> read_scenario(const json::object& document) {
  const json::object* const wrapped = object_at(document, "config");
  const bool is_wrapped = wrapped != nullptr && !document.contains("agents");
  ScenarioReader reader;
  Scenario scenario = reader.read(is_wrapped ? *wrapped : document);
  if (reader.errors().empty()) return scenario;
  return Error{Errc::invalid_value, reader.errors().substr(0, kMostScenarioErrorBytes), std::nullopt, {}};
}

}  // namespace ptcvm::harness
