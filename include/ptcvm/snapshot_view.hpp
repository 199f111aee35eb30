// Looks at a snapshot without tools, and without running it: what its program waits for, where, and with which values.
//
//   auto view = ptcvm::SnapshotView::open(engine, bytes);
//   for (const auto& operation : view->operations()) std::puts(operation.id.c_str());
//
// Opening checks everything that Run::restore() checks, except the tools. A SnapshotView owns the values that its
// functions show; their views are valid as long as the SnapshotView. One thread at a time may use a SnapshotView.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/engine.hpp"
#include "ptcvm/limits.hpp"
#include "ptcvm/value.hpp"

namespace ptcvm {

// Returns false when no snapshot begins with these bytes; a sealed snapshot is not one (looks_sealed()). Ask with the
// first kilobytes of a large file before you read the rest.
PTCVM_API bool may_be_snapshot(std::span<const std::byte> beginning);

// A snapshot, opened for reading. A SnapshotView can be moved, not copied.
class PTCVM_API SnapshotView {
 public:
  struct Impl;   // internal

  // Says where in its turn the run was.
  enum class Place : std::uint8_t {
    BetweenTurns,   // no turn runs
    Suspended,      // the turn waits for operations
    BetweenSteps,   // the turn goes on with the next step
  };

  // What a snapshot says about its run as a whole.
  struct Facts {
    std::uint32_t format = 0;               // the format that this engine writes
    std::string run_id;                     // RunOptions::id
    std::uint64_t turn = 0;                 // counts from 1; 0 before the first turn
    Place place{};                          // see Place
    std::uint64_t fuel = 0, tool_calls = 0, suspensions = 0, print_bytes = 0;   // what this turn has used
    std::uint64_t memory_bytes = 0;         // the size of the heap
    Limits limits;                          // the limits of the run
  };

  // An operation that the program started.
  struct Operation {
    std::string id, tool;                   // the id of the operation; "sleep", "await-signal" or the name of the tool
    std::string status;                     // "waiting", "ok", "error", "cancelled" or "expired"
    ValueView args, result;                 // the arguments of the call; the answer, when the status is "ok"
    std::string reason;                     // why the operation failed or was cancelled
    std::string task_id;                    // the innermost open task of the call, or ""
    std::int64_t since_ms = 0;              // when the operation began, ms since 1970
    std::int64_t due_ms = 0;                // when a sleep ends and another operation expires; 0 means never
    bool is_sleep = false;                  // true for (sleep ms)
    bool is_awaited = false;                // true when a part of a suspended program waits for the operation
    std::int64_t deadline_ms = 0;           // when that wait ends by itself; 0 means never
  };

  // A tool that the program names, as the host of the snapshot had it.
  struct Tool {
    std::string name;                       // as the host registered it
    std::string mode;                       // "sync", "async" or "auto"
    std::string effect;                     // the name of its effect class: "unsafe", "keyed", …
    bool has_signature = false;             // true when the host that resumes must give the same signature
  };

  // Says what a fiber does next.
  enum class FiberState : std::uint8_t {
    Ready, WaitsForTool, WaitsForOperations, WaitsForTask, WaitsForBranches, Finished, Faulted
  };

  // A thread of the program: the program itself, or a branch of pmap or pcalls.
  struct Fiber {
    std::optional<std::size_t> parent;      // the index of the fiber whose branch this is; nullopt for the program
    FiberState state{};                     // see FiberState
    std::string fault;                      // why the fiber has failed, or ""
    std::size_t frame_count = 0;            // how many calls are nested
    // The place in the source at which the fiber is: its innermost call that has one. line is 0 when there is no place.
    std::string source_name;
    std::uint32_t line = 0, column = 0;     // count from 1
  };

  // A value with its name.
  struct Named {
    std::string name;                       // the name, or the id of a task
    ValueView value;                        // valid as long as the SnapshotView
  };

  // A call of a fiber that has not returned.
  struct Frame {
    std::string function;                   // its name, its text, or "the program"
    std::uint32_t line = 0, column = 0;     // the place of the call, counted from 1; 0 when it is not in the source
    std::vector<Named> locals;              // the values of the function that have a name
  };

  // Opens a snapshot: bytes or JSON from anywhere, at most `max_bytes` of them. A snapshot that names its programs by
  // hash needs an engine that has them. Errors: invalid_snapshot, too_large; Error::detail names the reason.
  static Result<SnapshotView> open(const Engine& engine, std::span<const std::byte> snapshot,
                                   std::size_t max_bytes = 64u << 20);
  SnapshotView(SnapshotView&& moved) noexcept;
  SnapshotView& operator=(SnapshotView&& moved) noexcept;
  ~SnapshotView();

  Facts facts() const;                          // says where the run is and what it has used
  std::vector<Operation> operations() const;    // in the order in which they were opened
  std::vector<Tool> tools() const;              // the tools that the host needs to go on
  std::vector<Named> definitions() const;       // the user namespace, in the order of the definitions
  std::vector<Named> journal() const;           // the values of tasks, in the order of their commits
  std::vector<std::string> prints() const;      // what the turn printed so far
  // Returns ids and texts of (step-done id text) of the turn so far, sorted by id. They count when the turn ends well.
  std::vector<std::pair<std::string, std::string>> summaries() const;

  std::vector<Fiber> fibers() const;            // parents come before their branches; empty between turns
  // Returns at most `most` frames of a fiber, innermost first; none for an index that fibers() does not have.
  std::vector<Frame> frames(std::size_t fiber, std::size_t most = SIZE_MAX) const;
  // Returns the line of the source at the place of the fiber, and a line with carets below it, or "" without a place.
  std::string excerpt(std::size_t fiber) const;

  // Return the snapshot as Run::snapshot() and Run::snapshot_json() would: the other face, or the newest format.
  std::vector<std::byte> bytes() const;
  std::string json() const;

 private:
  explicit SnapshotView(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm
