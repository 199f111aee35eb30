// What `ptcvm agent` prints of a run: the last line of standard output, and its parts.
#pragma once
#include <string>

#include "agents/loop/agent_run.h"
#include "tools/ptcvm/agent/agent_driver.h"

namespace ptcvm::cli {

// What a line says besides the run.
struct LineParts {
  std::string more = {};        // an object of JSON with at least one member, whose members come last; or ""
  bool is_cost_known = true;    // false: nobody knows what a reply has cost, and the member "money" is null
};
// Returns {"status", "return", "fail", "pending", "turns", "usage"} as a line without its end.
std::string agent_line(const loop::AgentRun& run, const AgentDriver::End& end, const LineParts& parts = {});
// Returns the exit status that goes with the line.
int agent_status(const loop::AgentRun& run, const AgentDriver::End& end);
// Returns what a run has used, as an object of JSON.
std::string usage_json(const loop::AgentUsage& usage);

// Writes a moment as a line of a trace. Neither requests nor replies nor keys are in it, only hashes and counts.
std::string trace_line(const AgentMoment& moment);
// Writes a moment for people, or "" for moments that people do not see. `spent` is money, or "" without prices.
std::string progress_line(const AgentMoment& moment, const loop::AgentUsage& usage, const std::string& spent);

}  // namespace ptcvm::cli
