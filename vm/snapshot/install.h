// Installs a RunState into a run. The run is new: its limits are set, its cells are made, and its programs are linked
// as the state says.
//
// The state is not trusted: every index, register kind, program counter, stage and slot is checked against the
// (verified) code before the run takes anything. The values are already well formed (value_reader.h).
#pragma once
#include <string>

#include "vm/snapshot/run_state.h"

namespace ptc {

// Returns "" when done, and the run owns all values of the state. Otherwise returns what is wrong, and the state keeps
// the values.
std::string install(RunState& state, MachineState& run);

}  // namespace ptc
