// The rule by which a call that failed is made again.
#pragma once
#include <cstdint>

#include "runtime/calls/tools.h"

namespace ptc {

// Returns whether the call is made again after this attempt, from 1: it failed, or nobody knows what became of it and
// its effect class allows a second call; and the retry policy of its tool has attempts left.
inline bool wants_further_attempt(const Tool& tool, const ToolReply& reply, std::uint64_t attempt) {
  const bool may_repeat = !reply.is_unknown || is_called_again(tool.definition.effect);
  const bool is_final = !reply.failed || !may_repeat || reply.fault != FaultKind::ToolError;
  return !is_final && attempt < tool.definition.retry.max_attempts;
}

}  // namespace ptc
