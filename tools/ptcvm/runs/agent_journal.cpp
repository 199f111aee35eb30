#include "tools/ptcvm/runs/agent_journal.h"

#include <utility>

#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/agent/agent_record.h"

namespace ptcvm::cli {
namespace {

// Returns whether somebody outside answers the operation: models and tools are asked by the process itself.
bool waits_outside(const loop::Operation& operation) {
  return operation.kind != loop::OperationKind::Model && operation.kind != loop::OperationKind::Timer;
}

JournalOperation shown(const loop::Operation& operation) {
  JournalOperation out;
  out.id = operation.path;
  out.tool = operation.tool;
  const auto args = Value::from_json(operation.args_json);
  out.args_edn = args ? args->to_edn() : operation.args_json;
  return out;
}

}  // namespace

Result<std::optional<RunJournal>> agent_journal(const Store& store, const std::string& id) {
  const auto definition = loop::StoredAgent::stored_definition(store, id);
  if (!definition) return definition.error();
  if (!*definition) return std::optional<RunJournal>();
  const auto record = AgentRecord::read(Engine(), store, id);
  if (!record) return record.error();
  const loop::AgentRun& run = record->run();
  RunJournal journal;
  journal.run = id;
  journal.turn = run.usage().turns;
  journal.is_over = run.state() == loop::AgentState::Ended;
  for (const auto& [task, value] : run.journal()) journal.tasks.push_back({task, value, {}});
  for (const loop::Operation& operation : run.operations()) {
    if (waits_outside(operation)) journal.operations.push_back(shown(operation));
  }
  return std::optional(std::move(journal));
}

}  // namespace ptcvm::cli
