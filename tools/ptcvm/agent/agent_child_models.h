// Models of children: --child-model PATH=MODEL lets another model answer a child, and the children below it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_definition.h"
#include "tools/ptcvm/agent/agent_models.h"

namespace ptcvm::cli {

// A model by its text and by what was opened for it.
struct ChildModel {
  std::string model;
  loop::ModelChoice choice = {};
};
using ChildModels = std::map<std::string, ChildModel, std::less<>>;   // by the path of the agent: "broker/desk"

// Returns what a run's path names in the definition: "broker#2/desk" is "broker/desk", and a child that is the agent
// itself is its parent.
std::string definition_path(const loop::AgentDefinition& root, std::string_view path);
// Returns the model of the agent with this path of the definition, its own or the one of the nearest agent above;
// nullptr: the model of the root answers.
const ChildModel* find_child_model(const ChildModels& models, std::string_view path);

// Reads PATH=MODEL. The definition must have a child of this path that is not the agent itself. Returns false when it
// cannot be read; `message` then says why.
bool read_child_models(const loop::AgentDefinition& root, const std::vector<std::string>& texts, ChildModels& models,
                       std::string& message);

// Returns whether the words can be read and their models opened, whatever the agents are; else `message` says why not.
bool can_open_child_models(const std::vector<std::string>& texts, bool is_stream, std::string& message);

// Opens the models of children, which fills in their choices, and returns a source that asks each agent's own. nullptr:
// one cannot be opened; `message` then says why.
std::unique_ptr<ModelSource> open_child_models(const loop::AgentDefinition& root, ChildModels& models,
                                               std::unique_ptr<ModelSource> of_root, bool is_stream,
                                               const OnBytes& on_bytes, std::string& message);

}  // namespace ptcvm::cli
