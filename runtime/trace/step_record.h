// What a run came to, in the words of the reference implementation's Step: one JSON object with return or fail, prints,
// tool_calls, usage. What its events do not tell (memory, signature) is left out.
#pragma once
#include <string>

#include "runtime/trace/trace_tree.h"

namespace ptc {

// One line without its newline. Values are JSON where their EDN can be read as data, else their text. Of several turns:
// return or fail of the last one, calls and prints of all.
std::string step_record(const TraceRun& run);

}  // namespace ptc
