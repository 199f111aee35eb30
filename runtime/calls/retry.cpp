#include "runtime/calls/retry.h"

#include <algorithm>
#include <cmath>

#include "vm/value/string.h"

namespace ptc {

std::int64_t retry_pause_ms(const RetryPolicy& policy, std::string_view key, std::uint64_t attempt) {
  const auto times = static_cast<double>(std::max<std::uint64_t>(attempt, 1) - 1);
  const double grown = static_cast<double>(policy.first_ms) * std::pow(std::max(policy.factor, 1.0), times);
  const double pause = std::min(grown, static_cast<double>(policy.max_ms));
  const std::uint64_t mixed = (hash_bytes(key) ^ attempt) * 0x9e37'79b9'7f4a'7c15u;
  const double part = static_cast<double>(mixed >> 11) / static_cast<double>(std::uint64_t{1} << 53);   // [0, 1)
  return static_cast<std::int64_t>(pause * (1 - std::clamp(policy.jitter, 0.0, 1.0) * part));
}

}  // namespace ptc
