// Adds numbers that come from files and may have any value.
#pragma once
#include <cstdint>

namespace ptc {

constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace ptc
