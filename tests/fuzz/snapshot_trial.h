// What the targets for snapshots do with their bytes, whatever made them.
#pragma once
#include <cstdint>
#include <span>

namespace ptc::fuzz {

// Restores under small limits and runs what was restored; the bytes decide how its host behaves.
void try_snapshot(std::span<const std::uint8_t> bytes);

}  // namespace ptc::fuzz
