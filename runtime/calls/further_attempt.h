// The rule by which a call that failed is made again.
#pragma once
#include <cstdint>

#include "runtime/calls/tools.h"

namespace ptc {

// Returns whether the call is made again after this attempt, from 1: the tool itself reports the failure, and its retry
// policy has attempts left.
inline bool wants_further_attempt(const Tool& tool, const ToolReply& reply, std::uint64_t attempt) {
  const bool is_final = !reply.failed || reply.is_unknown || reply.fault != FaultKind::ToolError;
  return !is_final && attempt < tool.definition.retry.max_attempts;
}

}  // namespace ptc
