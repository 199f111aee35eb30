// The model of `ptcvm harness`: --model as the other commands have it, asked one question at a time.
#pragma once
#include <optional>
#include <string>

#include "agents/harness/model_text.h"

namespace ptcvm::cli {

// Opens what --model names (agent_models.h). The function may be called by several threads; each question is waited
// for, and asked again at most three times when the server says that it may be. nullopt, with the reason: there is no
// such model.
std::optional<harness::AskModel> ask_model(const std::string& model, std::string& message);

}  // namespace ptcvm::cli
