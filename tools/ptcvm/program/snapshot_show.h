// A snapshot as people read it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "ptcvm/snapshot_view.hpp"

namespace ptcvm::cli {

// Describes a snapshot. `now_ms`, milliseconds since 1970, is for "12 s ago".
std::string show_snapshot(const SnapshotView& snapshot, std::size_t size_bytes, std::int64_t now_ms);

}  // namespace ptcvm::cli
