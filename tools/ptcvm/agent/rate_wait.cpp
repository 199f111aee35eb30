#include "tools/ptcvm/agent/rate_wait.h"

#include <chrono>
#include <thread>

namespace ptcvm::cli {

Result<std::int64_t> take_rate(loop::RateLimits& rates, const std::string& server,
                               const std::function<std::int64_t()>& now_ms, const std::atomic<bool>& interrupted) {
  constexpr std::chrono::milliseconds kBucketPause{3};
  auto due = rates.take(server, now_ms());
  while (!due && due.error().code == Errc::busy && !interrupted.load()) {
    std::this_thread::sleep_for(kBucketPause);
    due = rates.take(server, now_ms());
  }
  return due;
}

}  // namespace ptcvm::cli
