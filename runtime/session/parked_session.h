// A session that waits, as little as it takes to go on with it: its snapshot, and what its host gave it. About a tenth
// of the session, and a few microseconds each way; for hosts that hold many runs which wait for hours.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/session/session.h"

namespace ptc {

class ParkedSession {
 public:
  // Whether it may be parked: it waits for something, and nothing of it lives outside of its snapshot (calls that are
  // made again, a step hook, tools of its own).
  static bool can_park(const Session& session);
  explicit ParkedSession(const Session& session);
  // The session again, as it was. Observer and cancel flag are set anew by whoever has them.
  std::unique_ptr<Session> wake(const Engine& engine) &&;

 private:
  std::vector<std::uint8_t> bytes_;                      // names its programs by hash
  std::vector<std::shared_ptr<const Program>> programs_;
  std::shared_ptr<const ToolRegistry> tools_;
  ToolHooks hooks_;
  std::optional<std::int64_t> fixed_clock_millis_, now_;
  std::int64_t clock_;
  std::uint64_t active_micros_, slice_fuel_;
  bool yields_at_commits_;
};

}  // namespace ptc
