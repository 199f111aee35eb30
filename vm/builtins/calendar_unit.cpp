#include "vm/builtins/calendar_unit.h"

#include <array>

#include "vm/builtins/number_call.h"

namespace ptc {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"millis", "seconds", "minutes", "hours",
                                                    "days",   "weeks",   "months",  "years"};

Value unit_value(Call& call, CalendarUnit unit) {
  return Value::of(call.heap.intern(kNames[static_cast<std::size_t>(unit)]));
}

}  // namespace

std::optional<CalendarUnit> unit_argument(Call& call, std::uint32_t i) {
  if (call.arg(i).is_keyword()) {
    for (std::size_t unit = 0; unit < kNames.size(); ++unit) {
      if (call.arg(i).keyword->name() == kNames[unit]) return static_cast<CalendarUnit>(unit);
    }
  }
  java_type_error(call, i + 1, "unit of time such as ChronoUnit/DAYS or :days");
  return std::nullopt;
}

std::int64_t millis_of(CalendarUnit unit) {
  constexpr std::array<std::int64_t, 6> kMillis = {1, 1'000, 60'000, 3'600'000, 86'400'000, 604'800'000};
  return kMillis[static_cast<std::size_t>(unit)];
}

Value builtin_ChronoUnit_MILLIS(Call& call) { return unit_value(call, CalendarUnit::Millis); }
Value builtin_ChronoUnit_SECONDS(Call& call) { return unit_value(call, CalendarUnit::Seconds); }
Value builtin_ChronoUnit_MINUTES(Call& call) { return unit_value(call, CalendarUnit::Minutes); }
Value builtin_ChronoUnit_HOURS(Call& call) { return unit_value(call, CalendarUnit::Hours); }
Value builtin_ChronoUnit_DAYS(Call& call) { return unit_value(call, CalendarUnit::Days); }
Value builtin_ChronoUnit_WEEKS(Call& call) { return unit_value(call, CalendarUnit::Weeks); }
Value builtin_ChronoUnit_MONTHS(Call& call) { return unit_value(call, CalendarUnit::Months); }
Value builtin_ChronoUnit_YEARS(Call& call) { return unit_value(call, CalendarUnit::Years); }

}  // namespace ptc
