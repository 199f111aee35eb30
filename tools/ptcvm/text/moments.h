// Times as people read them.
#pragma once
#include <cstdint>
#include <string>

namespace ptcvm::cli {

// Returns the time of the system, in milliseconds since 1970.
std::int64_t now_millis();
// Returns "2026-08-01T12:00:00Z", or "N ms" out of the range of dates. `millis` are since 1970.
std::string moment_text(std::int64_t millis);
// Returns the same with the distance from now: "2026-08-01T12:00:00Z (5 min ago)".
std::string moment_text(std::int64_t millis, std::int64_t now_ms);
// Returns "5 min ago" or "in 2 h".
std::string distance_text(std::int64_t millis, std::int64_t now_ms);

// Returns "12 us", "3.4 ms", "56.7 s" or "5 min".
std::string duration_text(std::uint64_t micros);

}  // namespace ptcvm::cli
