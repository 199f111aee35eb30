// Traces for chrome://tracing and Perfetto: the JSON array format. A run is a process; what lies beside each other in
// time lies on lanes (threads) of their own.
#pragma once
#include <string>
#include <vector>

#include "runtime/trace/trace_tree.h"

namespace ptc {

// A JSON array, an event a line. Runs, turns, pauses, tasks and calls are complete events, operations are asynchronous
// ones, what else happened are instants.
std::string chrome_trace(const std::vector<TraceRun>& runs);

}  // namespace ptc
