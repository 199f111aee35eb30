#include "agents/harness/program_planner.h"

#include <stdexcept>

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

struct IdMember {
  FactType type;
  std::string_view member, prefix;
};
constexpr IdMember kIds[] = {{FactType::compose_intent, "composeId", "c"},
                             {FactType::agent_question, "qid", "q"},
                             {FactType::tool_call, "callId", "call"}};

}  // namespace

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
  if (!end->unknown_type.empty()) {
    return PlanOutput::failed("the program proposed a fact of the type \"" + end->unknown_type +
                              "\", which does not exist; see agents/harness/facts.def");
  }
  for (ProposedFact& fact : end->proposed) {
    for (const IdMember& id : kIds) {
      if (id.type != fact.type || !text_of(fact.body, id.member).empty()) continue;
      fact.body[id.member] = context.new_id(id.prefix);
    }
  }
  return PlanOutput::proposed(std::move(end->proposed));
}

}  // namespace ptcvm::harness
