// The state of a run with the stream of its values.
#pragma once
#include <cstdint>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"
#include "vm/snapshot/value_writer.h"

namespace ptc {

struct StateValues {
  // Both must stay as they are, and outlive the object.
  StateValues(const MachineView& run, const HostState& its_host)
      : host(its_host), heap_bytes(run.heap().bytes_used()), state(capture(run)), stream(run) {}

  void write();   // writes all values to the stream; call it once
  bool is_large() const { return heap_bytes >= ValueWriter::kLargeHeap; }

  const HostState& host;
  const std::uint64_t heap_bytes;
  RunState state;
  ValueWriter stream;
};

}  // namespace ptc
