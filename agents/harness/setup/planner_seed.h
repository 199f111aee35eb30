// Configurations of planners as seeds: small, without anything that can be loaded again. A seed fits into a link.
//
//   llm-drafter     config {systemAppend, targetWords}
//                   seed   {v: 1, systemAppend?, targetWords?}
//   scenario-v0.3   config {scenarioUrl, resolvedScenario, myAgentId, enabledTools, enabledCoreTools, maxInlineSteps,
//                           instructions}
//                   seed   {v: 2, scenarioUrl, myAgentId?, maxInlineSteps?, disabledScenarioTools?, disabledCoreTools?,
//                           instructions?}; without disabledCoreTools the usual ones are disabled
//   simple-demo     config and seed {mode}
//
// hydrate(dehydrate(config)) is the config again, except for what is loaded.
#pragma once
#include <boost/json/object.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/setup/field_state.h"
#include "agents/harness/setup/scenario.h"

namespace ptcvm::harness {

inline constexpr std::string_view kPlannerOff = "off", kDrafterPlanner = "llm-drafter",
                                  kScenarioPlanner = "scenario-v0.3", kDemoPlanner = "simple-demo";

inline constexpr std::int64_t kMostInlineSteps = 50, kUsualInlineSteps = 20;
inline constexpr std::int64_t kFewestWords = 10, kMostWords = 1'000;   // where a draft has a goal

// Returns whether there is a planner of this id; "off" is one.
bool is_planner(std::string_view id);
// Returns the actions of the scenario planner that can be switched off, and the ones that are on by default.
std::span<const std::string_view> core_tools();
std::vector<std::string> usual_core_tools();
// Returns whether the scenario planner has an action of this name, which no tool of a scenario can have then.
bool is_action(std::string_view name);

// Returns what is wrong with this number of words of a draft, or of steps of a pass; "" when nothing is.
std::string wrong_words(double words);
std::string wrong_steps(double steps);
// Returns the version that dehydrate() writes into seeds of the planner as `v`.
std::int64_t seed_version(std::string_view planner);
// Returns which member of the seed is of a wrong type or has a value that the form of the planner does not take, and
// what it must be, or "". hydrate() takes the usual value or the nearest one for such a member.
std::string wrong_seed(std::string_view planner, const boost::json::object& seed);
// The same for a configuration. A member that the planner does not have is wrong, too.
std::string wrong_config(std::string_view planner, const boost::json::object& config);
// Returns the configuration of a seed. Errors: invalid_value ("Missing scenarioUrl", …), and the errors of `fetch`.
Result<FullConfig> hydrate(std::string_view planner, const boost::json::object& seed, const FetchJson& fetch);
// Returns the seed of a configuration.
boost::json::object dehydrate(std::string_view planner, const boost::json::object& config);
// Returns one line about a configuration, for people.
std::string summarize_applied(std::string_view planner, const boost::json::object& config);

}  // namespace ptcvm::harness
