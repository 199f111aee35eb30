// Records a run in the form of the reference implementation's Step: one JSON object with return or fail, prints,
// tool_calls, usage. The record leaves out what events do not tell (memory, signature).
#pragma once
#include <string>

#include "runtime/trace/trace_tree.h"

namespace ptc {

// Returns one line without its newline. A value is JSON when its EDN can be read as data, else text. For a run of
// several turns, the record has return or fail of the last turn, and calls and prints of all turns.
std::string step_record(const TraceRun& run);

}  // namespace ptc
