#include "agents/chain/run/driver_run.h"

#include <utility>
#include <vector>

#include "ptcvm/host_log.hpp"

namespace ptcvm::chain {

namespace {

Tools driver_tools() {
  Tools tools;
  const auto defer = [&tools](std::string name, Effect effect) {
    ToolOptions options;
    options.effect = effect;
    [[maybe_unused]] const auto added = tools.defer(std::move(name), "", std::move(options));
  };
  // Each of the first ones is alone in a task, or changes nothing: the log needs no more than the task.
  for (const char* const name : {"chain_intent", "chain_context", "chain_plan", "chain_report", "chain_feedback",
                                 "chain_begin", "chain_check"}) {
    defer(name, Effect::Pure);
  }
  defer("chain_steps", Effect::Idempotent);
  return tools;
}

}  // namespace

Result<std::string> driver_run_id(const Store& store, std::string_view task_id) {
  std::string id(task_id);
  const auto first = HostLog::of(store, id).read(0, 1);
  if (!first) return first.error();
  if (!first->empty() && first->front().is_of_host) id += "/driver";
  return id;
}

Result<RunJournal> driver_journal(const Store& store, std::string_view task_id) {
  const auto id = driver_run_id(store, task_id);
  if (!id) return id.error();
  return store.journal(*id);
}

Result<StoredRun> start_driver(const Engine& engine, const Store& store, const ChainOptions& options, std::string id,
                               std::string name, const std::string& source) {
  StoredOptions how;
  how.id = std::move(id);
  how.name = std::move(name);
  how.limits.operation_ttl_ms = 0;
  how.limits.memory_bytes = options.memory_bytes;
  how.lease_ms = options.lease_ms;
  how.clock = options.clock;
  return StoredRun::start(engine, store, driver_tools(), source, how);
}

}  // namespace ptcvm::chain
