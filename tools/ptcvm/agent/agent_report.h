// What `ptcvm agent` prints of a run: the last line of standard output, and its parts.
#pragma once
#include <optional>
#include <string>

#include "agents/loop/agent_run.h"
#include "tools/ptcvm/agent/agent_driver.h"

namespace ptcvm::cli {

// Returns {"status", "return", "fail", "pending", "turns", "usage"} as a line without its end. `more` is an object of
// JSON with at least one member, whose members come last; or "".
std::string agent_line(const loop::AgentRun& run, const AgentDriver::End& end, const std::string& more = {});
// Returns the exit status that goes with the line.
int agent_status(const loop::AgentRun& run, const AgentDriver::End& end);
// Returns what a run has used, as an object of JSON.
std::string usage_json(const loop::AgentUsage& usage);

// Writes a moment as a line of a trace. Neither requests nor replies nor keys are in it, only hashes and counts.
std::string trace_line(const AgentMoment& moment);
// Writes a moment for people, or "" for moments that people do not see. `spent` is money, when prices are known.
std::string progress_line(const AgentMoment& moment, const loop::AgentUsage& usage, std::optional<std::uint64_t> spent);

}  // namespace ptcvm::cli
