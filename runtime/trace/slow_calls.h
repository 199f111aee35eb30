// Where the time of runs goes: calls and operations by name.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/trace_tree.h"

namespace ptc {

struct SlowCalls {
  SpanKind kind{};                       // Tool or Operation
  std::string name;
  std::uint64_t count = 0, open = 0;     // those that ended, and those of which no end is known
  std::uint64_t failed = 0, cached = 0;  // of those that ended
  std::uint64_t total_us = 0, max_us = 0;   // of those that ended

  std::uint64_t mean_us() const { return count == 0 ? 0 : total_us / count; }
};

// Most time first; of equal times by kind and name. The time of an operation is from its opening to its resolution.
std::vector<SlowCalls> slow_calls(const std::vector<TraceRun>& runs);

}  // namespace ptc
