// Snapshots as files: either face, plain or sealed. A sealed one is opened with a key ring and sealed again under the
// next sequence number, so that an older file of the same run can be told from the newest.
#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/run.hpp"

namespace ptcvm::cli {

// A person chose the file, so it may be larger than what a host takes from others.
inline constexpr std::size_t kMostSnapshotBytes = std::size_t{1} << 30;

struct SealOptions {
  std::string keys, tenant;                  // "": none, and not given
  std::optional<std::string> expected_run;
  std::optional<std::uint64_t> expected_sequence;
};

void declare_seal_options(CLI::App& command, SealOptions& options);

struct SnapshotFile {
  std::string bytes;                         // the snapshot itself
  std::optional<std::uint64_t> sequence;     // when it was sealed
};

// Returns nullopt when the file is refused; `message` then says why.
std::optional<SnapshotFile> read_snapshot_file(const std::string& path, const SealOptions& options,
                                               std::string& message);
// Returns whether snapshots can be sealed as the options want, and why not. A program that runs first would have its
// effects, and its state would be lost.
bool can_seal(const SealOptions& options, std::string& message);
// Writes the snapshot of a run whole or not at all, readable by the owner only, and sealed when the options have keys.
// The snapshot of a large run is not in memory meanwhile.
bool write_snapshot_file(const std::string& path, const Run& run, bool self_contained, const SealOptions& options,
                         std::uint64_t sequence, std::string& message);
// Writes the bytes of another run so, which has this id.
bool write_snapshot_bytes(const std::string& path, std::vector<std::byte> bytes, std::string_view run_id,
                          const SealOptions& options, std::uint64_t sequence, std::string& message);
// Writes a file so without a seal.
bool write_whole_file(const std::string& path, std::string_view bytes, std::string& message);

}  // namespace ptcvm::cli
