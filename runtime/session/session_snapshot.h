// Sessions as snapshots: what a session needs besides its run, and how that gets into the snapshot and back.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/call_desk.h"
#include "runtime/session/gate.h"
#include "runtime/session/session_options.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

class SessionSnapshot {
 public:
  // All of them must outlive the object.
  SessionSnapshot(Run& run, const SessionOptions& options, CallDesk& calls, Gate& gate)
      : run_(run), options_(options), calls_(calls), gate_(gate) {}

  // Writes the session as bytes (schema/snapshot.fbs), or returns it as JSON for people (docs/snapshots.md).
  // `waits_for_host`: calls of a step wait, and the turn goes on when all of them are answered.
  void write(const SnapshotOptions& options, bool waits_for_host, SnapshotMemory& out) const;
  std::unique_ptr<SnapshotPieces> pieces(const SnapshotOptions& options, bool waits_for_host) const;
  std::string json(const SnapshotOptions& options, bool waits_for_host) const;
  // Returns a message when the suspended run takes more bytes than SessionOptions::limits allow.
  std::optional<std::string> complaint_about_size() const;

  // Gives calls and gate what the snapshot says about them; takes the values, which are in the heap of the run.
  void restore(HostState taken);

 private:
  HostState host_state(bool waits_for_host) const;

  Run& run_;
  const SessionOptions& options_;
  CallDesk& calls_;
  Gate& gate_;
};

// Returns the options of the session that was restored, with what the host wants.
SessionOptions options_of(const Restored& restored, const SessionRestore& wanted);

}  // namespace ptc
