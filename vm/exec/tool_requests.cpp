#include "vm/exec/tool_requests.h"

#include <algorithm>
#include <utility>

namespace ptc {

std::optional<ToolRequest> ToolRequests::take(std::uint64_t id) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                               [id](const ToolRequest& request) { return request.id == id; });
  if (at == waiting_.end()) return std::nullopt;
  ToolRequest taken = std::move(*at);
  waiting_.erase(at);
  return taken;
}

void ToolRequests::drop(std::uint64_t id) {
  std::erase_if(waiting_, [id](const ToolRequest& request) { return request.id == id; });
}

void ToolRequests::restore_counters(std::uint64_t first_unused_id, std::uint64_t made) {
  next_id_ = first_unused_id;
  made_ = made;
  std::sort(waiting_.begin(), waiting_.end(),
            [](const ToolRequest& a, const ToolRequest& b) { return a.id < b.id; });
}

}  // namespace ptc
