#include "agents/harness/planners/program_planner.h"

#include <boost/json/array.hpp>
#include <stdexcept>
#include <utility>

#include "agents/harness/pass/proposals.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

json::object fault_json(const Diagnostic& fault) {
  json::array stack;
  for (const CallFrame& frame : fault.stack) {
    json::object call{{"kind", frame.kind}, {"name", frame.name}};
    if (frame.line != 0) call.emplace("line", frame.line);
    if (frame.line != 0) call.emplace("column", frame.column);
    stack.push_back(std::move(call));
  }
  json::object out{{"kind", fault.kind}};
  if (fault.line != 0) out.emplace("line", fault.line);
  if (fault.line != 0) out.emplace("column", fault.column);
  if (!stack.empty()) out.emplace("stack", std::move(stack));
  return out;
}

}  // namespace

PlanOutput ProgramPlanner::plan(PlanContext& context) {
  if (!context.resumes()) {
    const Result<bool> cancelled = program_.cancel(clock_());
    if (!cancelled) throw std::runtime_error(cancelled.error().message);
  }
  Result<FactProgramEnd> end = program_.go_on(true, clock_());
  if (!end) throw std::runtime_error(end.error().message);
  switch (end->kind) {
    case FactProgramEnd::Kind::Failed:
      return PlanOutput::failed(end->error, end->fault ? fault_json(*end->fault) : json::object());
    case FactProgramEnd::Kind::Waiting: return PlanOutput::waiting(end->waits);
    case FactProgramEnd::Kind::Busy: return PlanOutput::failed("another process executes the planner");
    case FactProgramEnd::Kind::Ended: break;
  }
  return output_of(context, {std::move(end->proposed), std::move(end->unknown_type), std::move(end->strange)},
                   "the program");
}

}  // namespace ptcvm::harness
