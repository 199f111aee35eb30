#include "tests/simulation/person.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"

namespace ptcvm::simulation {

Person::Person(Flows& flows, Server& server, Story& story, const Faults& faults) : checker_(server.checker()) {
  process_.name = "a person";
  auto network = std::make_unique<Network>(flows, server, story, faults, process_);
  network_ = network.get();
  store_.emplace(StoreAccess::made(std::move(network)));
}

void Person::cancel(const std::string& run) {
  (void)network_->queue()->cancel(run, "", "no longer wanted", process_.name, 0);
}

void Person::look_after(const std::string& run, bool is_sure) {
  const auto detail = store_->detail(run);
  if (!detail) return;
  for (const std::string& wait : detail->waits_for) {
    if (wait.starts_with("op")) (void)store_->resolve(run, wait, Value::from_edn("41").value(), process_.name);
  }
  if (detail->is_in_doubt) {
    const auto doubts = store_->doubts(run);
    for (const JournalCall& doubt : doubts ? *doubts : std::vector<JournalCall>()) settle(run, doubt, is_sure);
  }
  const auto job = network_->queue()->job(run);
  const auto* const row = std::get_if<std::optional<ptc::JobRow>>(&job);
  const bool is_aside = row != nullptr && *row && (*row)->state == ptc::JobState::Quarantined;
  if (is_aside) (void)network_->queue()->retry(run, "", 0);
}

void Person::settle(const std::string& run, const JournalCall& doubt, bool is_sure) {
  if (checker_.calls_of(doubt.key) != 0) {
    const auto args = Value::from_edn(doubt.args_edn);
    const std::int64_t n = args ? args->view()["n"].as_int().value_or(0) : 0;
    const Value value = Value::from_edn(std::to_string(n)).value();
    (void)store_->settle(run, doubt.key, DoubtAnswer::Happened, value, process_.name);
  } else if (is_sure) {
    (void)store_->settle(run, doubt.key, DoubtAnswer::DidNot, {}, process_.name);
  }
}

}  // namespace ptcvm::simulation
