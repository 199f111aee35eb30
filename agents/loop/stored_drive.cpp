// Does for a stored run what it asks for.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "agents/loop/stored_agent.h"

namespace ptcvm::loop {

namespace {

std::optional<std::int64_t> next_timer(const AgentRun& run) {
  std::optional<std::int64_t> due;
  for (const Operation& operation : run.operations()) {
    if (operation.kind == OperationKind::Timer) due = std::min(due.value_or(operation.due_ms), operation.due_ms);
  }
  return due;
}

}  // namespace

Result<void> drive_stored(StoredAgent& stored, AgentDriver& driver) {
  for (;;) {
    driver.before_step();
    const auto state = stored.step();
    if (!state) return state.error();
    const std::vector<Operation> orders = stored.take_orders();
    if (*state == AgentState::Ended) return {};
    if (orders.empty()) {
      const auto due = next_timer(stored.run());
      if (!due || !driver.wait_until(*due)) return {};
      if (auto advanced = stored.advance(); !advanced) return advanced;
      continue;
    }
    for (const Operation& order : orders) {
      Result<void> told;
      if (order.is_left) {
        if (told = stored.reject(order.path, kNotBegun); !told) return told.error();
        continue;
      }
      const std::int64_t due = order.kind == OperationKind::Model ? driver.due_ms(order) : 0;
      if (due != 0) {
        told = stored.defer_model(order.path, due);
      } else if (order.kind == OperationKind::Model) {
        told = stored.resolve_model(order.path, driver.ask(order));
      } else if (const auto answer = driver.call(order); !answer) {
        told = stored.pend(order.path);
      } else if (*answer) {
        told = stored.resolve(order.path, **answer);
        if (!told && told.error().code == Errc::invalid_value) told = stored.reject(order.path, told.error().message);
      } else {
        told = stored.reject(order.path, answer->error().message);
      }
      if (!told) return told.error();
    }
  }
}

Result<AgentOutcome> run_agent_stored(const Agent& agent, const Store& store, AgentDriver& driver,
                                      const AgentStart& start) {
  StoredAgentOptions options;
  options.start = start;
  options.clock = [&driver] { return driver.time_ms(); };
  auto stored = StoredAgent::open(agent, store, std::move(options));
  if (!stored) return stored.error();
  if (auto advanced = stored->advance(); !advanced) return advanced.error();
  if (auto driven = drive_stored(*stored, driver); !driven) return driven.error();
  if (auto parked = stored->park(); !parked) return parked.error();
  return stored->run().outcome();
}

}  // namespace ptcvm::loop
