// The log of a worker: one line for each event, as text or JSON.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "ptcvm/worker.hpp"

namespace ptcvm::cli {

// Writes to standard output. Any number of threads may use one log.
class WorkerLog final : public Observer {
 public:
  explicit WorkerLog(bool json) : json_(json) {}

  void write(const WorkerEvent& event);
  // Writes an event that is not about a run.
  void note(std::string_view event, std::string_view text);
  Verdict on_event(const Event& event) override;   // prints of programs

 private:
  struct Line {
    std::string_view event, run, queue, tenant, text;
    std::uint64_t node = 0, millis = 0;
  };
  void write(const Line& line);

  const bool json_;
  std::mutex mutex_;
};

}  // namespace ptcvm::cli
