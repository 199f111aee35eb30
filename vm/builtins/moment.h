// Dates and instants as a day and a time of that day in UTC, for the members that read and move them.
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/builtins/call.h"
#include "vm/value/calendar.h"

namespace ptc {

// A date has no time of the day: second and nanos are 0.
struct Moment {
  std::int64_t day;        // since 1970-01-01
  std::int64_t second;     // 0 .. 86,399
  std::uint32_t nanos;     // 0 .. 999,999,999
};

bool is_legacy_date(Value v);      // a java.util.Date
bool is_true_instant(Value v);
Seconds seconds_of(Value instant_or_duration);

Moment moment_of(Value date_or_instant);
// Returns the day that is so many months later, on the last day of its month at the latest; nullopt when the year is
// out of range.
std::optional<std::int64_t> day_after_months(std::int64_t day, std::int64_t months);
int weekday_of(std::int64_t day);  // 0 for Monday .. 6

// Reads argument i (from 0) as a date or a true instant. Returns false after parking java_type_error.
[[nodiscard]] bool moment_argument(Call& call, std::uint32_t i, Moment& moment);
// Returns a date when `like` is one, else an instant, or Absent after parking java_domain_error.
Value moment_value(Call& call, Value like, Moment moment);
// Returns the instant or, when `like` is one, the duration, or Absent after parking java_domain_error.
Value seconds_value(Call& call, Value like, Seconds at);
Value out_of_range(Call& call);    // parks java_domain_error

}  // namespace ptc
