// Holds cases of one kind against the library. A case is a line of JSON; its members are described beside each kind.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tests/scenarios/scenario_store.h"

namespace ptcvm::scenarios {

// Returns why the case does not hold, or nullopt when it holds. A member that the kind does not know is a reason. The
// store is empty, and belongs to the case.
using ScenarioKind = std::optional<std::string> (*)(const boost::json::object& scenario, const ScenarioStore& store);

std::optional<std::string> agent_scenario(const boost::json::object& scenario, const ScenarioStore& store);
std::optional<std::string> chain_scenario(const boost::json::object& scenario, const ScenarioStore& store);
std::optional<std::string> coherence_scenario(const boost::json::object& scenario, const ScenarioStore& store);
std::optional<std::string> harness_scenario(const boost::json::object& scenario, const ScenarioStore& store);
std::optional<std::string> wire_scenario(const boost::json::object& scenario, const ScenarioStore& store);

}  // namespace ptcvm::scenarios
