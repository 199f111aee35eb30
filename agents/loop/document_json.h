// The JSON face of a document: the members of the state by name. A session is the text of its own JSON.
#pragma once
#include <string>
#include <string_view>

#include "agent_state_generated.h"
#include "ptcvm/result.hpp"

namespace ptcvm::loop {

// Writes a state whose sessions were saved as JSON (AgentNode::save).
std::string write_document_json(const state::DocumentT& document);
// Reads the text. Says nothing about what the members mean: read_document() checks that. Error: invalid_snapshot.
Result<std::unique_ptr<state::DocumentT>> read_document_json(std::string_view text);

}  // namespace ptcvm::loop
