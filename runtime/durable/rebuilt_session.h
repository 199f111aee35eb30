// The session between two turns, made anew from the log: for runs that keep their definitions and whose parked bytes
// are gone, as they are behind a fork or an import, or cannot be read by this build.
//
// Each turn that ended without a fault is executed again in a store of its own in memory. The store holds the log as
// it was before the turn ended. So the turn goes the way of a run whose process died there: tasks, calls and operations
// are hits, and the turn is told what it was told. No call is made but calls of pure tools with a handler: no log has
// their answers. A program that reads the clock reads the time at which its turn began. A turn whose tasks somebody
// else reset while it waited cannot be executed again: it would see the reset from its top on.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/durable/durable_options.h"

namespace ptc {

struct RebuiltSession {
  std::vector<std::uint8_t> snapshot;   // the session between two turns; empty when no turn has left definitions
  std::string complaint;                // says which turn cannot be executed again, and why; else ""
};

// Rebuilds the session that turn number `turn` (from 1) begins with. The run is only read. `options` are those with
// which the run is opened. Errors: what the store says.
StoreResult<RebuiltSession> rebuild_session(const Engine& engine, FactStore& store,
                                            const std::shared_ptr<const ToolRegistry>& tools, std::uint64_t turn,
                                            const DurableOptions& options);

}  // namespace ptc
