// What a program costs beside its account: processor time for each unit of fuel, and bytes from malloc beside those
// that the run counts.
//
// The thread's processor time is compared with a plain loop of additions in the same process, because instructions
// cannot be counted everywhere. Another process disturbs it by some ten percent, so a cost that matters is measured
// again and the least counts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc::test {

// Limits of a trial. The fuel is more than the largest text takes, because one builtin may go over the fuel by its bulk
// work. The deadline only ends the search for a program that asks whether it may go on.
inline constexpr std::uint64_t kTrialFuel = 2'000'000, kTrialMemoryBytes = 16 << 20;
inline constexpr std::int64_t kTrialMillis = 10'000;
// A turn begins and ends with work that is no work of the program: it has so much fuel more in the ratio of time.
inline constexpr std::uint64_t kFreeFuel = 20'000;

inline constexpr double kMostTimeRatio = 60;
inline constexpr std::uint64_t kFreeBytes = 16 << 20;
inline constexpr double kMostByteShare = 0.05;

struct Cost {
  double seconds = 0;
  std::uint64_t fuel = 0, counted_bytes = 0, taken_bytes = 0;
  bool is_refused = false;      // the program was not compiled
  std::string end;              // the fault, or ok

  // Returns whether the deadline, which goes by the wall, ended a trial that had no processor. Such a trial says
  // nothing.
  bool was_starved() const { return end == "timeout" && seconds < static_cast<double>(kTrialMillis) / 2'000; }
  // Time for each unit of fuel, in times of what a plain addition takes.
  double time_ratio(double seconds_of_unit) const {
    return seconds / (static_cast<double>(fuel + kFreeFuel) * seconds_of_unit);
  }
  std::uint64_t outside_bytes() const { return taken_bytes < counted_bytes ? 0 : taken_bytes - counted_bytes; }
  // Bytes beside the account in times of what is allowed.
  double byte_ratio() const {
    return static_cast<double>(outside_bytes()) /
           (static_cast<double>(kFreeBytes) + kMostByteShare * static_cast<double>(counted_bytes));
  }
};

Cost cost_of(std::string_view source, std::uint64_t fuel = kTrialFuel);

// Returns the seconds that a plain loop of additions takes for a unit of fuel.
double seconds_of_addition();

}  // namespace ptc::test
