// RunState -> run. The run is new: its limits are set, its cells made and its programs linked as the state says.
//
// Nothing in the state is trusted: every index, register kind, program counter, stage and slot is checked against the
// (verified) code before anything is taken over. Values are well formed already (value_reader.h).
#pragma once
#include <string>

#include "vm/snapshot/run_state.h"

namespace ptc {

// "": done, and the run owns all values of the state. Else what is wrong; the values are still the state's.
std::string install(RunState& state, RunImpl& run);

}  // namespace ptc
