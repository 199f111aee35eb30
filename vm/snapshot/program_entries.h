// The programs of a snapshot, whatever its face: by bytes, by hash, or the engine's own.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

struct ProgramEntry {
  std::span<const std::uint8_t> bytes, sha256;
  bool prelude = false;
  std::optional<std::vector<std::uint32_t>> functions;   // nothing: what linking makes
};

// Loads and checks one more program. False: error says why.
bool add_program(const ProgramEntry& entry, ProgramSource* known, RunState& out, RestoreError& error);

// After all programs: which of them runs.
bool set_running(std::uint32_t running, bool in_turn, RunState& out, RestoreError& error);

}  // namespace ptc
