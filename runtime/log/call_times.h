// How long calls of one kind took, counted by intervals. Any number of threads may add and read.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ptc {

class CallTimes {
 public:
  // The upper ends of the intervals, in seconds; the last interval has no end.
  static constexpr std::array<double, 12> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                     0.1,   0.25,   0.5,   1,    2.5,   10};
  struct Counts {
    std::array<std::uint64_t, kBounds.size() + 1> by_interval{};
    double seconds = 0;   // all calls together
  };

  void add(std::chrono::duration<double> took) {
    const auto at = std::lower_bound(kBounds.begin(), kBounds.end(), took.count()) - kBounds.begin();
    const std::lock_guard lock(mutex_);
    ++counts_.by_interval[static_cast<std::size_t>(at)];
    counts_.seconds += took.count();
  }
  // Calls `call`, and counts how long it took.
  auto timed(const auto& call) {
    const auto start = std::chrono::steady_clock::now();
    auto result = call();
    add(std::chrono::steady_clock::now() - start);
    return result;
  }
  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;
  Counts counts_;
};

}  // namespace ptc
