// The tables of a binary snapshot.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vm/snapshot/snapshot.h"
#include "vm/snapshot/state_values.h"

namespace ptc {

// What a snapshot has before and behind its values. The checksum comes after both.
struct SnapshotEdges {
  std::vector<std::uint8_t> before, behind;
};

// Builds the edges for values that were written elsewhere, where they take so many bytes.
SnapshotEdges snapshot_edges(StateValues& written, const HostState& host, const SnapshotOptions& options,
                             std::size_t value_bytes);

}  // namespace ptc
