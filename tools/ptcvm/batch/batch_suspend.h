// What a batch request asks for with "suspend", "hop" and "face": the program is written, destroyed and restored at
// its safe points, here or in a fresh process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/run.hpp"

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
  std::string recorded;               // RecordedTools::state()
  std::uint64_t order = 0;            // ResolveOrder::state()
  std::optional<std::int64_t> now;    // the time that the program was told last, in ms since 1970
  SuspendFigures figures;
};

std::string write_hop(const HopState& state);
std::optional<HopState> read_hop(std::string_view text);

// Takes the snapshots that a plan asks for, and counts them.
class Hopper {
 public:
  Hopper(SuspendPlan plan, SuspendFigures figures) : plan_(plan), figures_(figures) {}
  bool wants(RunState state) const;                // asks for a snapshot after a step that ended so
  std::string take(const Run& run);
  const SuspendFigures& figures() const { return figures_; }

 private:
  SuspendPlan plan_;
  SuspendFigures figures_;
};

}  // namespace ptcvm::cli
