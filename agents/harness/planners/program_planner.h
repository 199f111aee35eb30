// A planner that is a PTC-Lisp program (fact_program.h). A pass is a turn of its stored run, so its tasks are made once
// in the conversation: a pass that lost its commit, was cancelled or was killed finds them done.
#pragma once
#include <memory>

#include "agents/harness/pass/planner.h"
#include "agents/harness/planners/fact_program.h"

namespace ptcvm::harness {

// See the top of this file.
class ProgramPlanner final : public Planner {
 public:
  // `clock` gives ms since 1970.
  ProgramPlanner(FactProgram program, std::function<std::int64_t()> clock)
      : program_(std::move(program)), clock_(std::move(clock)) {}
  PlanOutput plan(PlanContext& context) override;

 private:
  FactProgram program_;
  std::function<std::int64_t()> clock_;
};

}  // namespace ptcvm::harness
