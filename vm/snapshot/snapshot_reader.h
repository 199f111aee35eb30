// One face of a snapshot, as restoring sees it: parts in the order in which they may be trusted with more and more.
// restore.cpp calls the functions in the order of their declaration; the first one that says false ends it.
#pragma once
#include <optional>
#include <vector>

#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  virtual bool read_host(HostState& out) = 0;
  virtual bool read_programs(ProgramSource* known, RunState& out) = 0;
  virtual RunLimits limits() = 0;
  // Interns the names that no program brings with it, then reads the tables: everything but values.
  virtual bool read_state(RunImpl& run, RunState& out, HostState& host) = 0;
  virtual bool read_shapes() = 0;                       // the links have their scalar constants
  // The links are complete. The roots in the order of for_each_value, then the cached answers; owned by the caller,
  // also of what was read before something failed.
  virtual bool read_values(std::vector<Value>& roots) = 0;
  virtual void forget_values() = 0;                     // releases what it holds of the run's heap

  RestoreError error;

 protected:
  bool invalid(std::string message) {
    if (error.message.empty()) error = {SnapshotError::Invalid, std::move(message)};
    return false;
  }
};

// Nothing: this engine reads it, or migrates it.
std::optional<RestoreError> unsupported_format(std::uint64_t format, std::uint64_t oldest_reader);

}  // namespace ptc
