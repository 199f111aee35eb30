// A parked session keeps only what a waiting session needs to go on: its snapshot, and what its host gave it. That is
// about a tenth of the session, and takes a few microseconds each way. For hosts with many runs that wait for hours.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/session/session.h"

namespace ptc {

class ParkedSession {
 public:
  // Returns whether the session may be parked: it waits for something, and no part of it is outside of its snapshot
  // (calls that are made again, a step hook, tools of its own).
  static bool can_park(const Session& session);
  explicit ParkedSession(const Session& session);
  // Restores the session. The owner sets observer and cancel flag again.
  std::unique_ptr<Session> wake(const Engine& engine) &&;

 private:
  std::vector<std::uint8_t> bytes_;                      // the snapshot names its programs by hash
  std::vector<std::shared_ptr<const Program>> programs_;
  std::shared_ptr<const ToolRegistry> tools_;
  ToolHooks hooks_;
  std::optional<std::int64_t> fixed_clock_millis_, now_;
  std::int64_t clock_;
  std::uint64_t active_micros_, slice_fuel_;
  bool yields_at_commits_;
};

}  // namespace ptc
