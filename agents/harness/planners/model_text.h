// What planners ask a model, and how they read the reply. The host has the model.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agents/harness/pass/planner.h"

namespace ptcvm::harness {

// Says what a question to the model is for.
enum class ModelPurpose : std::uint8_t { Decide, PlayTool, Draft };

// One question to a model.
struct ModelQuestion {
  ModelPurpose purpose{};
  std::string prompt;
  double temperature = 0.5;
};
// Returns the text that the model wrote.
using AskModel = std::function<Result<std::string>(const ModelQuestion&)>;
// Returns how a prompt names the one who says such a fact, or "" for a fact that nobody says.
std::string_view speaker_of(FactType type);
// Waits between attempts.
using PauseModel = std::function<void(std::int64_t ms)>;

// Asks the model as a task of the pass, and returns what the model wrote; "" when it failed. Only an answer is kept.
std::string ask_once(PlanContext& context, std::string_view key, const AskModel& ask, const ModelQuestion& question);

// Returns the text without a code fence around it, and without spaces around it.
std::string_view without_fence(std::string_view text);
// Reads the JSON object in a reply, with or without a fence or sentences around it. An object whose end is missing is
// closed first. nullopt: there is no object.
std::optional<boost::json::object> read_model_object(std::string_view text);

}  // namespace ptcvm::harness
