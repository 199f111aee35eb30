// What the parts of agents/loop know about an agent that was checked. Immutable.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent.h"
#include "agents/loop/agent_names.h"
#include "ptcvm/signature.hpp"

namespace ptcvm::loop {

// Says how the replies of an agent are read.
enum class ReplyMode : std::uint8_t {
  Program,   // programs
  Text,      // the text of the reply is the result
  Json,      // the text of the reply holds JSON that fits the signature
  Native,    // calls of tools, then text or JSON
};

// Returns whether any text is a result that fits.
inline bool takes_text(const Signature& signature) {
  return signature.result_type() == ":string" || signature.result_type() == ":any";
}

// One agent of the tree.
struct CompiledAgent {
  std::string path;                                // names of children from the root; "" is the root
  const AgentDefinition* definition = nullptr;
  std::optional<Signature> signature;
  Tools tools;                                     // all of them deferred: tools of the host, children, llm-query
  std::map<std::string, const AgentTool*, std::less<>> host_tools;
  std::map<std::string, const CompiledAgent*, std::less<>> children;
  ReplyMode mode = ReplyMode::Program;
  bool is_text_result = true;                      // the result is a string, or anything
  std::string static_prompt;                       // the system text
  std::vector<wire::ToolDefinition> native_tools;  // what the provider is told
  std::vector<std::string> callable;               // names of tools and children, sorted
  ModelChoice model;
  wire::RequestFrame frame;                        // what each request has around the conversation
};

struct Agent::Impl {
  Engine engine;
  AgentDefinition definition;
  AgentOptions options;
  std::string definition_text;                     // JSON
  std::vector<std::unique_ptr<CompiledAgent>> agents;   // the root first
  const CompiledAgent& root() const { return *agents.front(); }
};

}  // namespace ptcvm::loop
