// Finds the programs of a snapshot of either face: by bytes, by hash, or the engine's own.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

struct ProgramEntry {
  std::span<const std::uint8_t> bytes, packed, sha256;   // the bytes as they are, or packed (packed_words.h)
  bool prelude = false;
  std::optional<std::vector<std::uint32_t>> functions;   // nullopt means the functions that linking makes
};

// Loads and checks one more program. Returns false and sets `error` when it cannot.
bool add_program(const ProgramEntry& entry, ProgramSource* known, RunState& out, RestoreError& error);

// Says which program runs. Call it after all programs were added.
bool set_running(std::uint32_t running, bool in_turn, RunState& out, RestoreError& error);

}  // namespace ptc
