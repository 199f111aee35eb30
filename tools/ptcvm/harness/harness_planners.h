// The planners of `ptcvm harness`, by their names, with the model that --replies or --model gives them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/harness/pass/planner.h"
#include "agents/harness/planners/model_text.h"
#include "agents/loop/model_prices.h"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/harness/harness_session.h"

namespace ptcvm::cli {

// What a planner is made of.
struct PlannerParts {
  std::string planner;            // an id of planner_seed.h, the file of a program, or agent:FILE
  boost::json::object config;     // its configuration, with the scenario inside
  harness::AskModel ask;          // --replies, or --model for a planner of the library; empty without both
  std::string model = {};         // --model, for an agent
  loop::ModelPrices prices = {};  // --prices, for an agent
  Tools tools = {};               // for a program
};

// Reads what --planner, --config, --scenario, --replies and the options of tools say. nullopt, with the reason: a file
// cannot be read.
std::optional<PlannerParts> planner_parts(const HarnessArguments& arguments, std::string& message);

// Returns that the planner asks a model and has none, and which options give one, or "".
std::string missing_model(const PlannerParts& parts);

// Makes the planner. nullptr, with the reason: there is no model, the configuration does not fit, or there is no such
// file.
std::unique_ptr<harness::Planner> make_planner(const PlannerParts& parts, const Store& store,
                                               harness::Conversation& conversation, std::string& message);

}  // namespace ptcvm::cli
