// Takes a request out of the bucket of a server (RateLimits), for what drives a run.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "agents/loop/rate_limits.h"

namespace ptcvm::cli {

// Does what RateLimits::take() does, and asks again while another process has the bucket for the time of a write.
// Returns 0 when the request may go out, or the time at which it may. busy: `interrupted` was set meanwhile.
Result<std::int64_t> take_rate(loop::RateLimits& rates, const std::string& server,
                               const std::function<std::int64_t()>& now_ms, const std::atomic<bool>& interrupted);

}  // namespace ptcvm::cli
