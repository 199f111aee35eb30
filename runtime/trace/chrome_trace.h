// Writes traces for chrome://tracing and Perfetto in the JSON array format. A run is a process. Stretches that overlap
// in time are on lanes (threads) of their own.
#pragma once
#include <string>
#include <vector>

#include "runtime/trace/trace_tree.h"

namespace ptc {

// Returns a JSON array with one event in each line. Runs, turns, pauses, tasks and calls are complete events,
// operations are asynchronous events, and everything else is an instant.
std::string chrome_trace(const std::vector<TraceRun>& runs);

}  // namespace ptc
