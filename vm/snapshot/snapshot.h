// Writes a run between two steps as bytes (schema/snapshot.fbs), and restores it.
//
// Writing never changes the run. Equal states give equal bytes, on every machine and with every compiler, and a
// restored run writes the bytes that it came from.
//
// Restoring trusts nothing: it verifies the container, then the programs, then what `check` of the host asks for
// (tools, rights), then every value, frame and counter against the verified code. Only then there is a run. A refusal
// is a named error. The length of the bytes bounds its time; the length and the memory limit bound its memory.
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
#include "vm/snapshot/snapshot_memory.h"

namespace ptc {

// A tool that the programs of a run name, as the host registered it.
struct HostTool {
  std::string name;
  std::uint64_t signature = 0;   // the signature_hash() of its signature
  std::string effect;            // the name of its effect class; "" is unsafe
  std::uint8_t mode = 0;         // 0 sync, 1 async, 2 auto
};
inline constexpr std::uint8_t kMaxToolMode = 2;

std::uint64_t signature_hash(std::string_view signature);   // returns 0 without a signature

// What the host's side of the turn needs to go on: plain data that the snapshot keeps.
struct HostState {
  std::string source_name, signature;
  int float_precision = -1;      // -1 means no rounding
  bool strict_task_ids = false, check_tools = true;
  std::uint64_t active_ms = 0;   // the time used
  std::vector<HostTool> tools;                                  // sorted by name
  std::vector<std::pair<std::string, Value>>
      cached_answers;   // sorted by key; values are borrowed for writing, owned after reading
  std::vector<std::string> approvals;   // key, text, key, text, …
  bool waits_for_host = false;   // true when calls of a step were handed out and some are not answered
};

struct SnapshotOptions {
  bool embed_programs = true;    // false names programs by SHA-256, and the reader must have them
};

std::vector<std::uint8_t> write_snapshot(const Run& run, const HostState& host, const SnapshotOptions& options = {});
// Writes the same bytes to a memory that is empty.
void write_snapshot(const Run& run, const HostState& host, const SnapshotOptions& options, SnapshotMemory& out);
// Returns what writes the same bytes in pieces. Each write costs as much as write_snapshot(), and making the object as
// well, so this is for runs whose snapshot should not be in memory: large ones.
std::unique_ptr<SnapshotPieces> snapshot_pieces(const Run& run, HostState host, const SnapshotOptions& options = {});
bool is_large_snapshot(const Run& run);

// Returns the second face (docs/snapshots.md): JSON for people, lossless and canonical. restore_snapshot() takes either
// face.
std::string write_snapshot_json(const Run& run, const HostState& host, const SnapshotOptions& options = {});

enum class SnapshotError : std::uint8_t {
  NotASnapshot,         // the file is of another kind
  Damaged,              // the container is broken
  UnsupportedVersion,   // the engine does not read this format
  MissingProgram,       // a program is named by hash and was not found
  BadProgram,           // the bytecode of a program is refused
  TooLarge,             // there are more bytes than the host takes
  Refused,              // the check of the host refused: a missing tool, a changed signature or effect
  Invalid,              // the parts do not fit each other
};

std::string_view snapshot_error_name(SnapshotError error);   // returns "snapshot_invalid" and so on

struct RestoreError {
  SnapshotError kind{};
  std::string message;
};

// Programs that the host already has. Loaded programs are shared between runs.
class ProgramSource {
 public:
  virtual ~ProgramSource() = default;
  virtual std::shared_ptr<const Program> find(std::span<const std::uint8_t> sha256) = 0;   // returns null when unknown
  virtual std::shared_ptr<const Program> find_bytes(std::span<const std::uint8_t> bytes) = 0;    // equal bytes
  // The same for EncodedProgram::packed: all bytes are equal, so nothing else of them is looked at.
  virtual std::shared_ptr<const Program> find_packed(std::span<const std::uint8_t>) { return nullptr; }
  virtual void keep(const std::shared_ptr<const Program>& program) = 0;   // keeps a program of a snapshot
  // Returns a prelude that this engine neither has nor keeps. Preludes are trusted code, so a prelude never comes from
  // a snapshot.
  virtual std::shared_ptr<const Program> find_prelude(std::span<const std::uint8_t>) { return nullptr; }
};

struct RestoreOptions {
  RunLimits most = unlimited();                  // the run gets the smaller of these limits and its own
  std::size_t most_bytes = std::size_t{64} << 20;   // the largest snapshot; reading takes memory in proportion to it
  ProgramSource* programs = nullptr;             // not owned
  std::shared_ptr<MemorySource> memory;          // the memory of the run; null means malloc
  // The capability check: returns "" or why the run may not go on here. It runs before anything is built.
  std::function<std::string(const HostState&)> check;

  // Is told which bytes nobody reads any more, in ascending order, while values are read. Unset: nobody asks.
  std::function<void(std::span<const std::uint8_t>)> has_read;

  // Migrations besides the engine's own, which are asked first: for formats that only this host ever wrote.
  std::span<const Migration> migrations;

  static RunLimits unlimited();
};

struct Restored {
  Run run;
  HostState host;   // its values are in the heap of the run and belong to the caller
};

// Returns false when restore_snapshot() refuses all bytes that begin like this as no snapshot. A reader of a large file
// asks before it reads the rest.
bool may_be_snapshot(std::span<const std::uint8_t> beginning);

std::variant<Restored, RestoreError> restore_snapshot(std::span<const std::uint8_t> bytes,
                                                      const RestoreOptions& options = {});

}  // namespace ptc
