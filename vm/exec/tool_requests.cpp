#include "vm/exec/tool_requests.h"

#include <algorithm>
#include <utility>

namespace ptc {

namespace {

std::int64_t counted_bytes(const ToolRequest& request) {
  constexpr std::size_t kObjectBytes = 160;   // on every machine
  static_assert(sizeof(ToolRequest) <= kObjectBytes);
  return static_cast<std::int64_t>(kObjectBytes + request.task_id.size() + request.call_path.size() +
                                   request.key.size());
}

}  // namespace

void ToolRequests::add(ToolRequest request) {
  heap_.account_records(counted_bytes(request));
  waiting_.push_back(std::move(request));
}

std::optional<ToolRequest> ToolRequests::take(std::uint64_t id) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                               [id](const ToolRequest& request) { return request.id == id; });
  if (at == waiting_.end()) return std::nullopt;
  heap_.account_records(-counted_bytes(*at));
  ToolRequest taken = std::move(*at);
  waiting_.erase(at);
  return taken;
}

void ToolRequests::drop(std::uint64_t id) { take(id); }

void ToolRequests::drop_all() {
  for (const ToolRequest& request : waiting_) heap_.account_records(-counted_bytes(request));
  waiting_.clear();
}

void ToolRequests::restore_counters(std::uint64_t first_unused_id, std::uint64_t made) {
  next_id_ = first_unused_id;
  made_ = made;
  std::sort(waiting_.begin(), waiting_.end(),
            [](const ToolRequest& a, const ToolRequest& b) { return a.id < b.id; });
}

}  // namespace ptc
