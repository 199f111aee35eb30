// The calls of tools for which a run waits.
#pragma once
#include <algorithm>
#include <cstdint>

#include "runtime/calls/tools.h"
#include "vm/exec/run.h"

namespace ptc {

// Returns which call of which run the request is. The views live as long as the request.
inline CallMeta meta_of(const Run& run, const ToolRequest& request) {
  return {run.run_id(), run.turn(), request.task_id, request.call_path, request.key};
}

// Returns the request, or null when no such call waits. Requests are in the order of their numbers.
inline const ToolRequest* find_request(const Run& run, std::uint64_t id) {
  const auto requests = run.tool_requests();
  const auto at = std::ranges::lower_bound(requests, id, {}, &ToolRequest::id);
  return at == requests.end() || at->id != id ? nullptr : &*at;
}

}  // namespace ptc
