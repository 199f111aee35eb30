// Names of tools and children, and paths of agents.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::loop {

// The tool with which a program asks a model one question.
inline constexpr std::string_view kLlmQuery = "llm-query";

// Returns whether a text is 1 to 64 letters, digits, - and _.
bool is_agent_name(std::string_view name);

// Returns the path of what has a name in the agent with the path `above`. "" is the path of the root.
inline std::string path_below(std::string_view above, std::string_view name) {
  return above.empty() ? std::string(name) : std::string(above).append("/").append(name);
}

}  // namespace ptcvm::loop
