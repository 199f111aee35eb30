// Says how often a failed call is made again, and after which pause.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptc {

struct RetryPolicy {
  std::uint32_t max_attempts = 1;
  std::int64_t first_ms = 100, max_ms = 30'000;
  double factor = 2, jitter = 0.25;    // jitter: up to this part of the pause is left out
};

// Returns the pause after attempt number `attempt` (from 1). The pause depends on the key of the call and on nothing
// else, so calls that failed together do not come back together.
std::int64_t retry_pause_ms(const RetryPolicy& policy, std::string_view key, std::uint64_t attempt);

}  // namespace ptc
