#include "agents/harness/program_planner.h"

#include <stdexcept>
#include <utility>

#include "agents/harness/proposals.h"

namespace ptcvm::harness {

PlanOutput ProgramPlanner::plan(PlanContext& context) {
  if (!context.resumes()) {
    const Result<bool> cancelled = program_.cancel(clock_());
    if (!cancelled) throw std::runtime_error(cancelled.error().message);
  }
  Result<FactProgramEnd> end = program_.go_on(true, clock_());
  if (!end) throw std::runtime_error(end.error().message);
  switch (end->kind) {
    case FactProgramEnd::Kind::Failed: return PlanOutput::failed(end->error);
    case FactProgramEnd::Kind::Waiting: return PlanOutput::waiting(end->waits);
    case FactProgramEnd::Kind::Busy: return PlanOutput::failed("another process executes the planner");
    case FactProgramEnd::Kind::Ended: break;
  }
  return output_of(context, {std::move(end->proposed), std::move(end->unknown_type)}, "the program");
}

}  // namespace ptcvm::harness
