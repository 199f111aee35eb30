// The texts that java.util.Date. reads.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

// Milliseconds since 1970 of an ISO-8601 text (a date alone is midnight UTC; a time needs Z or an offset), an
// RFC 2822 text ("Wed, 8 Jan 2026 14:30:00 +0200", seconds and zone may be missing) or Date.toString ("Thu
// Jan 01 00:00:01 GMT 1970", the zone may be missing). Without a zone it is UTC. The name of the weekday is
// read but not checked.
std::optional<std::int64_t> parse_date_text(std::string_view text);

}  // namespace ptc
