// How often a call that failed is made again, and after which pause.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptc {

struct RetryPolicy {
  std::uint32_t max_attempts = 1;
  std::int64_t first_ms = 100, max_ms = 30'000;
  double factor = 2, jitter = 0.25;    // jitter: up to this part of the pause is left out
};

// The pause behind attempt number `attempt` (from 1). Depends on the call's key, so that calls which failed together do
// not come back together, and on nothing else.
std::int64_t retry_pause_ms(const RetryPolicy& policy, std::string_view key, std::uint64_t attempt);

}  // namespace ptc
