#include "runtime/session/retries.h"

#include <algorithm>
#include <chrono>

#include "runtime/calls/further_attempt.h"
#include "runtime/calls/retry.h"

namespace ptc {

using Clock = std::chrono::steady_clock;

bool Retries::take(const ToolRequest& request, const Tool& tool, const ToolReply& reply, std::uint64_t micros) {
  if (!wants_further_attempt(tool, reply, reply.attempt)) return false;
  const std::int64_t pause = retry_pause_ms(tool.definition.retry, request.key, reply.attempt);
  waiting_[request.id] = {reply.attempt, Clock::now() + std::chrono::milliseconds(pause)};
  outbox_.retried(request, run_.heap(), reply.message, reply.attempt, pause, micros);
  return true;
}

bool Retries::is_pausing(std::uint64_t request_id) const {
  const auto at = waiting_.find(request_id);
  return at != waiting_.end() && Clock::now() < at->second.due;
}

std::uint64_t Retries::next_attempt(std::uint64_t request_id) const {
  const auto at = waiting_.find(request_id);
  return at == waiting_.end() ? 1 : at->second.attempts + 1;
}

std::optional<Deadline> Retries::next_due() const {
  std::optional<Deadline> first;
  for (const auto& [request, waiting] : waiting_) first = std::min(first.value_or(waiting.due), waiting.due);
  return first;
}

}  // namespace ptc
