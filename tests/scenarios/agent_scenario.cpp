// Cases of agents. `agent`, `data` and `journal` are what the run begins with, `model` is the script of replies,
// `tools` has the outcomes of each tool, `when` the steps, and `then` what happens.
#include "tests/scenarios/agent_fixture.h"
#include "tests/scenarios/scenario_kind.h"

namespace ptcvm::scenarios {

Why agent_scenario(const boost::json::object& scenario, const ScenarioStore& store) {
  if (auto why = only(scenario, {"id", "title", "agent", "data", "journal", "model", "tools", "when", "then"})) {
    return why;
  }
  const boost::json::object& then = scenario.at("then").as_object();
  AgentFixture fixture(scenario, store, "case", false);
  if (auto why = fixture.play()) return why;
  if (auto why = fixture.check(then)) return why;
  const boost::json::value* const same = then.if_contains("same_as_straight");
  if (same == nullptr || !same->as_bool()) return std::nullopt;
  AgentFixture straight(scenario, store, "straight", true);
  if (auto why = straight.play()) return "straight: " + *why;
  return differs("compared with a straight run", straight.essence(), fixture.essence());
}

}  // namespace ptcvm::scenarios
