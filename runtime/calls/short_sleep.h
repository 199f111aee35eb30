// The wait of a loop that drives a run and has nothing to do meanwhile: short enough that a host can cancel the run.
#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

namespace ptc {

// Sleeps for `left`, and for 20 ms at most. Returns at once when `left` is not above zero.
inline void sleep_shortly(std::chrono::nanoseconds left) {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::milliseconds(20);
  std::this_thread::sleep_for(std::min(left, kLongest));
}

}  // namespace ptc
