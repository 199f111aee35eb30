// Says where the time of runs goes: calls and operations by name.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/trace_tree.h"

namespace ptc {

struct SlowCalls {
  SpanKind kind{};                       // Tool or Operation
  std::string name;
  std::uint64_t count = 0, open = 0;     // calls that ended; calls without a known end
  std::uint64_t failed = 0, cached = 0;  // counted among the calls that ended
  std::uint64_t total_us = 0, max_us = 0;   // counted among the calls that ended

  std::uint64_t mean_us() const { return count == 0 ? 0 : total_us / count; }
};

// Returns the rows with the most time first; rows with equal times are sorted by kind and name. The time of an
// operation is from its opening to its resolution.
std::vector<SlowCalls> slow_calls(const std::vector<TraceRun>& runs);

}  // namespace ptc
