// The tools that a command line gives to an agent: files of tools (--tools), and commands (--tool, --tool-shell).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_definition.h"
#include "tools/ptcvm/calls/external_tool.h"
#include "tools/ptcvm/calls/kept_tools.h"
#include "tools/ptcvm/calls/tools_file.h"

namespace ptcvm::cli {

// Commands by the names of tools; they go before the commands of the agent file.
using ToolCommands = std::map<std::string, ExternalTool, std::less<>>;

// Reads files of tools, in their order. A tool replaces one of the same name in an earlier file. Returns nullopt when a
// file cannot be read; `message` then says why.
std::optional<std::vector<DeclaredTool>> read_agent_tools(const std::vector<std::string>& paths, std::string& message);

// Makes tools known to agents. A tool that an agent or one below it has by name becomes what the file says of it: the
// signature, the description, the effect and the mode that the file does not say stay, and so does "ask". Every other
// tool is added to each of the agents.
void give_tools(std::vector<loop::AgentDefinition>& agents, const std::vector<DeclaredTool>& tools);

// The same for one agent, without tools that it does not have.
void retell_tools(loop::AgentDefinition& agent, const std::vector<DeclaredTool>& tools);
// Returns why commands cannot be given: no agent of the tree has one of the tools. "": each has its tool.
std::string unknown_tool(const loop::AgentDefinition& agent, const ToolCommands& commands);
// Returns the class that the owner of a tool has chosen, or nullopt when nobody has.
std::optional<Effect> chosen_effect(const std::vector<DeclaredTool>& tools, std::string_view name);

// Returns the commands of tools that have one.
ToolCommands commands_of(const std::vector<DeclaredTool>& tools);

// Returns what a store keeps of the tools: their texts, with folders that are the same in every folder.
ToolTexts texts_of(const std::vector<DeclaredTool>& tools);
// Reads what texts_of() wrote. Returns nullopt when another version wrote something that this one cannot read;
// `message` then says what.
std::optional<std::vector<DeclaredTool>> tools_of_texts(const ToolTexts& texts, std::string& message);

}  // namespace ptcvm::cli
