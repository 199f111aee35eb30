// Traces as people read them.
#pragma once
#include <string>
#include <vector>

#include "runtime/trace/slow_calls.h"
#include "runtime/trace/trace_tree.h"

namespace ptcvm::cli {

// Returns a table in order of time: milliseconds since the first of them, the run if there are several, event, what.
std::string show_events(const std::vector<const ptc::TraceEvent*>& events, bool colour);
// Returns the trees of runs with how long everything took, and when, as bars.
std::string show_tree(const std::vector<ptc::TraceRun>& runs, bool colour);
std::string show_slow(const std::vector<ptc::SlowCalls>& calls);

}  // namespace ptcvm::cli
