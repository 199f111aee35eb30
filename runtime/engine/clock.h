// Reads the system clock as numbers that hosts pass around.
#pragma once
#include <chrono>
#include <cstdint>

namespace ptc {

// Returns the milliseconds since 1970.
inline std::int64_t system_millis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

inline std::int64_t system_seconds() { return system_millis() / 1000; }

}  // namespace ptc
