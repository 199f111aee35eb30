// What a batch request asks for with "suspend", "hop" and "face": the program is written, destroyed and restored at
// its safe points, here or in a fresh process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/replay.h"
#include "runtime/session/session.h"

namespace ptcvm::cli {

struct SuspendPlan {
  enum class When : std::uint8_t { Never, Pending, Every };
  enum class Face : std::uint8_t { Binary, Json, Alternate };
  When when = When::Never;
  std::uint64_t every = 1;            // safe points
  bool fresh_process = false;
  Face face = Face::Binary;
};

struct SuspendFigures {
  std::uint64_t suspensions = 0;
  std::uint64_t max_snapshot_bytes = 0;
};

// A batch request between two steps: what another process needs to go on with it.
struct HopState {
  std::string snapshot;               // bytes of either face
  std::string replay;                 // ToolReplay::state()
  std::uint64_t order = 0;            // ResolveOrder::state()
  std::int64_t clock = 0;
  std::optional<std::int64_t> now;
  SuspendFigures figures;
};

std::string write_hop(const HopState& state);
std::optional<HopState> read_hop(std::string_view text);

// The session goes through bytes and back, in place. A message when the snapshot was refused.
class Hopper {
 public:
  Hopper(SuspendPlan plan, SuspendFigures figures) : plan_(plan), figures_(figures) {}
  bool wants(const ptc::Session& session) const;
  std::string take(const ptc::Session& session);                                 // counts
  static std::optional<std::string> restart(ptc::Session& session, std::string_view snapshot);
  const SuspendFigures& figures() const { return figures_; }

 private:
  SuspendPlan plan_;
  SuspendFigures figures_;
};

}  // namespace ptcvm::cli
