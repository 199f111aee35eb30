#include "tools/ptcvm/runs/agent_journal.h"

#include <utility>

#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/agent/agent_record.h"

namespace ptcvm::cli {
namespace {

// Returns whether somebody outside answers the operation: models and tools are asked by the process itself.
bool waits_outside(const loop::Operation& operation) {
  return operation.kind != loop::OperationKind::Model && operation.kind != loop::OperationKind::Timer &&
         operation.kind != loop::OperationKind::Doubt;
}

std::string edn_of(const std::string& args_json) {
  const auto args = Value::from_json(args_json);
  return args ? args->to_edn() : args_json;
}

JournalOperation shown(const loop::Operation& operation, std::optional<std::int64_t> since_ms) {
  JournalOperation out;
  out.id = operation.path;
  out.tool = operation.tool;
  out.args_edn = edn_of(operation.args_json);
  out.is_opened = since_ms.has_value();
  out.since_ms = since_ms.value_or(0);
  return out;
}

// A call that may or may not have happened; `ptcvm agent resume` is told about it by its path.
JournalCall doubted(const loop::Operation& operation) {
  JournalCall out;
  out.key = operation.path;
  out.tool = operation.tool;
  out.args_edn = edn_of(operation.args_json);
  out.state = "in_doubt";
  if (operation.definition != nullptr) out.effect = operation.definition->effect;
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
    if (operation.kind == loop::OperationKind::Doubt) journal.calls.push_back(doubted(operation));
    if (waits_outside(operation)) journal.operations.push_back(shown(operation, record->since_ms(operation.path)));
  }
  return std::optional(std::move(journal));
}

}  // namespace ptcvm::cli
