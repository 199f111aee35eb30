// The small server of a worker: GET /health and GET /metrics.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/ptcvm/worker/worker_metrics.h"

namespace ptcvm::cli {

// Where the server listens.
struct HealthPlace {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                      // 0: any
};
// Reads "PORT", ":PORT", "ADDRESS:PORT" or "[ADDRESS]:PORT". The address is 127.0.0.1 when none is given.
std::optional<HealthPlace> read_health_place(std::string_view text);

// Listens from the construction on, in a thread of its own, until it is destroyed.
class WorkerHealth {
 public:
  // `sample` is called by the thread of the server; it must not block.
  explicit WorkerHealth(std::function<WorkerSample()> sample);
  ~WorkerHealth();
  WorkerHealth(const WorkerHealth&) = delete;
  WorkerHealth& operator=(const WorkerHealth&) = delete;

  // Returns why the server cannot listen, or nullopt.
  std::optional<std::string> listen(const HealthPlace& place);
  std::string url() const;                     // "http://127.0.0.1:9100"

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ptcvm::cli
