// Reads the texts that java.util.Date. reads.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

// Returns the milliseconds since 1970 of an ISO-8601 text (a date alone is midnight UTC; a time needs Z or an offset),
// an RFC 2822 text ("Wed, 8 Jan 2026 14:30:00 +0200", seconds and zone may be missing) or a Date.toString text ("Thu
// Jan 01 00:00:01 GMT 1970", the zone may be missing). A text without a zone is UTC. The name of the weekday is read
// and not checked.
std::optional<std::int64_t> parse_date_text(std::string_view text);

}  // namespace ptc
