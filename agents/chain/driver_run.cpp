#include "agents/chain/driver_run.h"

#include <utility>

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

Result<StoredRun> start_driver(const Engine& engine, const Store& store, const ChainOptions& options, std::string id,
                               std::string name, const std::string& source) {
  StoredOptions how;
  how.id = std::move(id);
  how.name = std::move(name);
  how.limits.operation_ttl_ms = 0;
  how.lease_ms = options.lease_ms;
  how.clock = options.clock;
  return StoredRun::start(engine, store, driver_tools(), source, how);
}

}  // namespace ptcvm::chain
