// Snapshots: a run between two steps as bytes (schema/snapshot.fbs), and back.
//
// Writing never changes the run. Equal states give equal bytes, on every machine and with every compiler, and a
// restored run writes the bytes that it came from.
//
// Restoring trusts nothing: the container is verified, then the programs, then what the host's `check` asks for (tools,
// rights), then every value, frame and counter against the verified code; only then there is a run. A refusal is a
// named error; its time is bounded by the length of the bytes, its memory by that and the memory limit.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "vm/exec/run.h"
#include "vm/snapshot/migration.h"

namespace ptc {

// A tool that the programs of a run name, as the host registered it.
struct HostTool {
  std::string name;
  std::uint64_t signature = 0;   // signature_hash() of its signature
  std::string effect;            // name of its effect class; "" is unsafe
  std::uint8_t mode = 0;         // 0 sync, 1 async, 2 auto
};
inline constexpr std::uint8_t kMaxToolMode = 2;

std::uint64_t signature_hash(std::string_view signature);   // 0 for none

// What the host's side of the turn needs to go on; plain data, kept for it.
struct HostState {
  std::string source_name, signature;
  int float_precision = -1;      // -1: none
  bool strict_task_ids = false, check_tools = true;
  std::uint64_t active_ms = 0;   // used of the turn's time limit
  std::vector<HostTool> tools;                                  // by name
  std::vector<std::pair<std::string, Value>>
      cached_answers;   // by key; values are borrowed when written, owned when read
  std::vector<std::string> approvals;   // key, text, key, text, …
  bool waits_for_host = false;   // the calls of a step were handed out, and not all of them are answered
};

struct SnapshotOptions {
  bool embed_programs = true;    // else by SHA-256: whoever restores must have them
};

std::vector<std::uint8_t> write_snapshot(const Run& run, const HostState& host, const SnapshotOptions& options = {});

// The second face (docs/snapshots.md): JSON for people, lossless and canonical. restore_snapshot() takes either.
std::string write_snapshot_json(const Run& run, const HostState& host, const SnapshotOptions& options = {});

enum class SnapshotError : std::uint8_t {
  NotASnapshot,         // another kind of file
  Damaged,              // the container is broken
  UnsupportedVersion,   // of a format that this engine does not read
  MissingProgram,       // by hash, and nobody has it
  BadProgram,           // its bytecode is refused
  TooLarge,             // more bytes than the host takes
  Refused,              // by the host's check: a missing tool, a changed signature or effect
  Invalid,              // its parts do not fit each other
};

std::string_view snapshot_error_name(SnapshotError error);   // "snapshot_invalid" and so on

struct RestoreError {
  SnapshotError kind{};
  std::string message;
};

// Programs that the host already has. Loaded programs are shared between runs.
class ProgramSource {
 public:
  virtual ~ProgramSource() = default;
  virtual std::shared_ptr<const Program> find(std::span<const std::uint8_t> sha256) = 0;         // null: unknown
  virtual std::shared_ptr<const Program> find_bytes(std::span<const std::uint8_t> bytes) = 0;    // equal bytes
  virtual void keep(const std::shared_ptr<const Program>& program) = 0;   // was loaded from a snapshot
  // A prelude that this engine neither has nor keeps; code that is trusted, so never one that came with a snapshot.
  virtual std::shared_ptr<const Program> find_prelude(std::span<const std::uint8_t>) { return nullptr; }
};

struct RestoreOptions {
  RunLimits most = unlimited();                  // the run gets the smaller of these and its own
  std::size_t most_bytes = std::size_t{64} << 20;   // of the snapshot; reading takes memory in proportion to it
  ProgramSource* programs = nullptr;             // not owned
  std::shared_ptr<MemorySource> memory;          // of the run; null: malloc
  // The capability check; "" or why the run may not go on here. Called before anything is built.
  std::function<std::string(const HostState&)> check;

  // Besides the engine's own, before which they are asked: for formats that only this host ever wrote.
  std::span<const Migration> migrations;

  static RunLimits unlimited();
};

struct Restored {
  Run run;
  HostState host;   // its values live in the run's heap and belong to the caller
};

std::variant<Restored, RestoreError> restore_snapshot(std::span<const std::uint8_t> bytes,
                                                      const RestoreOptions& options = {});

}  // namespace ptc
