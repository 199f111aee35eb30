// One face of a snapshot, for restoring: parts in the order in which they may be trusted more and more. restore.cpp
// calls the functions in the order of their declaration, until one returns false.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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
  // Interns the names that no program has, then reads the tables: everything except values.
  virtual bool read_state(MachineState& run, RunState& out, HostState& host) = 0;
  virtual bool read_shapes() = 0;                       // needs links with their scalar constants
  // Reads the roots in the order of for_each_value, then the cached answers. The links are complete. The caller owns
  // the values, also those that were read before a failure.
  virtual bool read_values(std::vector<Value>& roots) = 0;
  virtual void forget_values() = 0;                     // releases what the reader holds of the heap of the run

  std::function<void(std::span<const std::uint8_t>)> has_read;   // as in RestoreOptions; JSON has nothing to tell
  RestoreError error;

 protected:
  bool invalid(std::string message) {
    if (error.message.empty()) error = {SnapshotError::Invalid, std::move(message)};
    return false;
  }
};

// Returns nullopt when this engine reads or migrates the format.
std::optional<RestoreError> unsupported_format(std::uint64_t format, std::uint64_t oldest_reader);

}  // namespace ptc
