// The units of ChronoUnit, as programs name them: ChronoUnit/DAYS and the keyword :days are the same.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "vm/builtins/call.h"

namespace ptc {

enum class CalendarUnit : std::uint8_t { Millis, Seconds, Minutes, Hours, Days, Weeks, Months, Years };

// Reads argument i (from 0), a keyword. Returns nullopt after parking java_type_error.
std::optional<CalendarUnit> unit_argument(Call& call, std::uint32_t i);
// Returns the length of a unit up to weeks, in milliseconds.
std::int64_t millis_of(CalendarUnit unit);

}  // namespace ptc
