#include "tools/ptcvm/agent/agent_tools.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "schema/closest_name.h"

namespace ptcvm::cli {
namespace {

using loop::AgentDefinition;
using loop::AgentTool;

// Returns whether the file of a tool says something under this name.
bool says(const DeclaredTool& tool, std::string_view member) {
  const auto text = Value::from_edn(tool.text);
  return text && !text->view()[member].is_nil();
}

// Takes over what the file says of a tool.
void retell(AgentTool& known, const DeclaredTool& tool) {
  if (!tool.signature.empty()) known.signature = tool.signature;
  if (!tool.options.description.empty()) known.description = tool.options.description;
  if (tool.has_effect) known.effect = tool.options.effect;
  if (says(tool, "mode")) known.mode = tool.options.mode;
}

// Returns whether the agent, or one below it, has the tool.
bool retell(AgentDefinition& agent, const DeclaredTool& tool) {
  bool has_tool = false;
  for (AgentTool& known : agent.tools) {
    if (known.name != tool.name) continue;
    retell(known, tool);
    has_tool = true;
  }
  for (auto& [name, child] : agent.children) {
    if (child == nullptr) continue;              // the agent itself
    const auto told = std::make_shared<AgentDefinition>(*child);
    if (!retell(*told, tool)) continue;
    child = told;
    has_tool = true;
  }
  return has_tool;
}

// Adds the names of the tools of an agent and of those below it.
void list_tools(const AgentDefinition& agent, std::set<std::string_view>& names) {
  for (const AgentTool& tool : agent.tools) names.insert(tool.name);
  for (const auto& [name, child] : agent.children) {
    if (child != nullptr) list_tools(*child, names);
  }
}

void add_tool(AgentDefinition& agent, const DeclaredTool& tool) {
  AgentTool& added = agent.tools.emplace_back();
  added.name = tool.name;
  retell(added, tool);
}

// Returns the text of a tool with an absolute folder.
std::string text_of(const DeclaredTool& tool) {
  const std::string folder = tool.command ? tool.command->tool().folder : "";
  const auto text = folder.empty() ? Result<Value>(Value()) : Value::from_edn(tool.text);
  if (folder.empty() || !text) return tool.text;
  std::error_code error;
  const std::filesystem::path found = std::filesystem::absolute(folder, error);
  const std::string whole = error ? folder : found.lexically_normal().string();
  const auto fill = [&](ValueWriter& out) {
    for (const ValueEntry& entry : text->view().entries()) {
      const auto name = entry.key.as_string() ? entry.key.as_string() : entry.key.as_keyword();
      const std::string key(name.value_or(""));
      if (key == "folder") {
        out.entry(key, whole);
      } else {
        out.entry(key, entry.value);
      }
    }
  };
  return Value::build([&fill](ValueWriter& out) { out.map(fill); }).to_edn();
}

}  // namespace

std::optional<std::vector<DeclaredTool>> read_agent_tools(const std::vector<std::string>& paths, std::string& message) {
  std::vector<DeclaredTool> out;
  for (const std::string& path : paths) {
    auto tools = read_tools_file(path, message);
    if (!tools) return std::nullopt;
    for (DeclaredTool& tool : *tools) {
      std::erase_if(out, [&tool](const DeclaredTool& other) { return other.name == tool.name; });
      out.push_back(std::move(tool));
    }
  }
  return out;
}

void retell_tools(AgentDefinition& agent, const std::vector<DeclaredTool>& tools) {
  for (const DeclaredTool& tool : tools) retell(agent, tool);
}

std::string unknown_tool(const AgentDefinition& agent, const ToolCommands& commands) {
  std::set<std::string_view> names;
  list_tools(agent, names);
  for (const auto& [name, command] : commands) {
    if (names.contains(name)) continue;
    const std::string_view near = ptc::closest_name(name, {names.begin(), names.end()});
    return "--tool " + name + ": the agent has no tool of this name" +
           (near.empty() ? "; --tools adds tools" : "; did you mean " + std::string(near) + "?");
  }
  return {};
}

std::optional<Effect> chosen_effect(const std::vector<DeclaredTool>& tools, std::string_view name) {
  std::optional<Effect> out;
  for (const DeclaredTool& tool : tools) {
    if (tool.name == name && tool.has_effect) out = tool.options.effect;
  }
  return out;
}

void give_tools(std::vector<AgentDefinition>& agents, const std::vector<DeclaredTool>& tools) {
  for (const DeclaredTool& tool : tools) {
    bool is_known = false;
    for (AgentDefinition& agent : agents) is_known = retell(agent, tool) || is_known;
    if (is_known) continue;
    for (AgentDefinition& agent : agents) add_tool(agent, tool);
  }
}

ToolCommands commands_of(const std::vector<DeclaredTool>& tools) {
  ToolCommands out;
  for (const DeclaredTool& tool : tools) {
    if (tool.command) out.insert_or_assign(tool.name, tool.command->tool());
  }
  return out;
}

ToolTexts texts_of(const std::vector<DeclaredTool>& tools) {
  ToolTexts out;
  for (const DeclaredTool& tool : tools) out.insert_or_assign(tool.name, text_of(tool));
  return out;
}

std::optional<std::vector<DeclaredTool>> tools_of_texts(const ToolTexts& texts, std::string& message) {
  std::string list = "[";
  for (const auto& [name, text] : texts) list.append(text).append("\n");
  return read_tools(list + "]", "kept-tools.edn", message);
}

}  // namespace ptcvm::cli
