// Sums of numbers that come from files, so that they may be anything.
#pragma once
#include <cstdint>

namespace ptc {

constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace ptc
