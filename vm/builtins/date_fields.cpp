// Reads and replaces the fields of dates and instants: year, month, day, weekday, time of the day.
#include <string>

#include "schema/ascii.h"
#include "vm/builtins/calendar_names.h"
#include "vm/builtins/java_call.h"
#include "vm/builtins/moment.h"
#include "vm/builtins/number_call.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// Gives what `field` reads from the civil date of argument 0.
template <class Field>
Value civil_field(Call& call, Field field) {
  Moment moment{};
  if (!moment_argument(call, 0, moment)) return Value::absent();
  return Value::integer(static_cast<std::int64_t>(field(civil_from_days(moment.day))));
}

template <class Field>
Value time_field(Call& call, Field field) {
  if (!is_true_instant(call.arg(0))) return java_type_error(call, 1, "instant");
  return Value::integer(field(moment_of(call.arg(0)).second));
}

std::string upper(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  }
  return text;
}

// The position of a name that .getMonth or .getDayOfWeek gave, from 1; 0 when there is none.
std::int64_t position_of_name(std::string_view given, std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (given == upper(names[i])) return static_cast<std::int64_t>(i) + 1;
  }
  return 0;
}

// Replaces the day of argument 0 with the day that `change` makes of its civil date and the number in argument 1.
template <class Change>
Value with_field(Call& call, std::int64_t least, std::int64_t most, Change change) {
  Moment moment{};
  std::int64_t number = 0;
  if (!moment_argument(call, 0, moment) || !java_long(call, 1, number)) return Value::absent();
  if (number < least || number > most) {
    return java_domain_error(call, "arg 2 must be from " + std::to_string(least) + " to " + std::to_string(most) +
                                       ", got " + std::to_string(number));
  }
  CivilDate date = civil_from_days(moment.day);
  change(date, number);
  if (date.day > days_in_month(date.year, date.month)) {
    return java_domain_error(call, "the month has no day " + std::to_string(date.day));
  }
  moment.day = days_from_civil(date);
  return moment_value(call, call.arg(0), moment);
}

// The last day of the month is the last one that a change of month or year may leave.
void clamp_day(CivilDate& date) {
  const std::uint32_t last = days_in_month(date.year, date.month);
  if (date.day > last) date.day = last;
}

}  // namespace

Value builtin_dot_getYear(Call& call) {
  return civil_field(call, [](CivilDate date) { return date.year; });
}
Value builtin_dot_getMonthValue(Call& call) {
  return civil_field(call, [](CivilDate date) { return date.month; });
}
Value builtin_dot_getDayOfMonth(Call& call) {
  return civil_field(call, [](CivilDate date) { return date.day; });
}
Value builtin_dot_getDayOfYear(Call& call) {
  return civil_field(call, [](CivilDate date) {
    return days_from_civil(date) - days_from_civil({date.year, 1, 1}) + 1;
  });
}
Value builtin_dot_lengthOfMonth(Call& call) {
  return civil_field(call, [](CivilDate date) { return days_in_month(date.year, date.month); });
}
Value builtin_dot_lengthOfYear(Call& call) {
  return civil_field(call, [](CivilDate date) { return is_leap_year(date.year) ? 366 : 365; });
}

Value builtin_dot_isLeapYear(Call& call) {
  Moment moment{};
  if (!moment_argument(call, 0, moment)) return Value::absent();
  return Value::boolean(is_leap_year(civil_from_days(moment.day).year));
}

Value builtin_dot_getMonth(Call& call) {
  Moment moment{};
  if (!moment_argument(call, 0, moment)) return Value::absent();
  return string_of(call.heap, upper(kMonthNames[civil_from_days(moment.day).month - 1]));
}

Value builtin_dot_getDayOfWeek(Call& call) {
  Moment moment{};
  if (!moment_argument(call, 0, moment)) return Value::absent();
  return string_of(call.heap, upper(kWeekdayNames[static_cast<std::size_t>(weekday_of(moment.day))]));
}

Value builtin_dot_getValue(Call& call) {
  std::string_view name;
  if (!java_string(call, 0, name)) return Value::absent();
  std::int64_t position = position_of_name(name, kWeekdayNames);
  if (position == 0) position = position_of_name(name, kMonthNames);
  if (position > 0) return Value::integer(position);
  return java_domain_error(call, "expected a weekday or month such as \"MONDAY\", got " + shown(name));
}

Value builtin_dot_getHour(Call& call) {
  return time_field(call, [](std::int64_t second) { return second / 3'600; });
}
Value builtin_dot_getMinute(Call& call) {
  return time_field(call, [](std::int64_t second) { return second / 60 % 60; });
}
Value builtin_dot_getSecond(Call& call) {
  return time_field(call, [](std::int64_t second) { return second % 60; });
}

Value builtin_dot_getEpochSecond(Call& call) {
  if (!is_true_instant(call.arg(0))) return java_type_error(call, 1, "instant");
  return Value::integer(seconds_of(call.arg(0)).seconds);
}

Value builtin_dot_withYear(Call& call) {
  return with_field(call, kMinYear, kMaxYear, [](CivilDate& date, std::int64_t year) {
    date.year = year;
    clamp_day(date);
  });
}
Value builtin_dot_withMonth(Call& call) {
  return with_field(call, 1, 12, [](CivilDate& date, std::int64_t month) {
    date.month = static_cast<std::uint32_t>(month);
    clamp_day(date);
  });
}
Value builtin_dot_withDayOfMonth(Call& call) {
  return with_field(call, 1, 31,
                    [](CivilDate& date, std::int64_t day) { date.day = static_cast<std::uint32_t>(day); });
}

}  // namespace ptc
