// What it costs to say no: processor time and peak memory, as far as this build can measure them.
#pragma once
#include <cstdint>

namespace ptc::test {

#ifdef PTC_SANITIZED
inline constexpr bool kCostIsMeasured = false;   // shadow memory and checks cost more than what is measured
#else
inline constexpr bool kCostIsMeasured = true;
#endif

// What the contract allows a refusal.
inline constexpr double kMostRefusalSeconds = 0.05;
inline constexpr long kMostRefusalKilobytes = 64 * 1024;

// The cost of this process since the meter was made. There is one meter at a time, because a process has one peak.
class CostMeter {
 public:
  CostMeter();
  double seconds() const;
  long kilobytes() const;

  // Where nothing is measured, everything is cheap.
  static bool is_cheap(double seconds, long kilobytes) {
    return !kCostIsMeasured || (seconds < kMostRefusalSeconds && kilobytes < kMostRefusalKilobytes);
  }

 private:
  long kilobytes_before_ = 0;
  double seconds_before_ = 0;
};

}  // namespace ptc::test
