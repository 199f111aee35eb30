#include "runtime/session/handed_calls.h"

#include "runtime/session/tool_requests.h"

namespace ptc {

// The run does not count calls in flight yet, so they are counted here.
void HandedCalls::hand_out(const ToolRequest& request, const Tool& tool, Value borrowed_args, std::string cache_key) {
  if (run_.tool_calls_left() <= handed_.size()) {
    if (handed_.empty()) (void)run_.admit(request.id);
    return;
  }
  const bool is_sync = tool.definition.async == AsyncMode::No;
  const std::size_t most = run_.limits().pending_operations;
  if (!is_sync && !handed_.empty() && run_.operations().waiting_count() + handed_.size() >= most) return;
  handed_.try_emplace(request.id, Handed{&tool, KeptValue(run_.heap(), retained(borrowed_args)), std::move(cache_key)});
}

std::optional<HandedCall> HandedCalls::call_of(std::uint64_t request_id, const Handed& handed) const {
  const ToolRequest* const request = find_request(run_, request_id);
  if (request == nullptr) return std::nullopt;
  return HandedCall{request_id, handed.tool, handed.args.get(), meta_of(run_, *request), request->span};
}

std::optional<HandedCall> HandedCalls::find(std::uint64_t request_id) const {
  const auto at = handed_.find(request_id);
  return at == handed_.end() ? std::nullopt : call_of(request_id, at->second);
}

std::vector<HandedCall> HandedCalls::all() const {
  std::vector<HandedCall> calls;
  for (const auto& [id, handed] : handed_) {
    if (auto call = call_of(id, handed)) calls.push_back(*call);
  }
  return calls;
}

std::optional<std::string> HandedCalls::take(std::uint64_t request_id) {
  const auto at = handed_.find(request_id);
  if (at == handed_.end()) return std::nullopt;
  std::string cache_key = std::move(at->second.cache_key);
  handed_.erase(at);
  return cache_key;
}

}  // namespace ptc
