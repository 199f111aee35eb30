// What a worker says about itself and its queues: the state as JSON, and numbers in the text format of Prometheus.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/worker.hpp"

namespace ptcvm::cli {

// Everything at one moment.
struct WorkerSample {
  std::string name;
  WorkerStats stats;
  std::chrono::milliseconds lease{0};
  std::optional<std::vector<QueueStatus>> queues;  // nullopt: the store does not answer
  std::optional<StoreUpkeep> upkeep;               // nullopt: the store has none
  std::int64_t now_ms = 0;                         // ms since 1970
};

// Returns "ok", "draining", "no_lease" (the store has not prolonged the lease in time), or "starting".
std::string worker_state(const WorkerSample& sample);
std::string health_json(const WorkerSample& sample);
std::string metrics_text(const WorkerSample& sample);

}  // namespace ptcvm::cli
