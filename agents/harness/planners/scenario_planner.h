// The scenario planner, v0.3: a model plays one agent of a scenario. In each step of a pass the model decides on one
// action: to say something, to ask the person, to read an attachment, to use a tool of the scenario, to be done. A tool
// of the scenario is played by the model, too: it makes up the documents that the tool would give.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/pass/planner.h"
#include "agents/harness/planners/model_text.h"
#include "agents/harness/setup/scenario.h"

namespace ptcvm::harness {

// See the top of this file.
class ScenarioPlanner final : public Planner {
 public:
  // Makes a planner of a configuration with resolvedScenario (planner_seed.h). Error: invalid_value.
  static Result<ScenarioPlanner> make(const boost::json::object& config, AskModel ask, PauseModel pause);
  PlanOutput plan(PlanContext& context) override;

  // What the model decided.
  struct Decision {
    std::string tool;
    boost::json::object args;
  };

 private:
  class Pass;
  ScenarioPlanner() = default;

  Scenario scenario_;
  std::string agent_id_, instructions_;
  std::vector<std::string> tools_, core_tools_;
  std::size_t most_steps_ = 0;
  AskModel ask_;
  PauseModel pause_;
};

}  // namespace ptcvm::harness
