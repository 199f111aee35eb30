// What lies between dates and instants, where a unit of time begins, and durations by their units.
#include "vm/builtins/calendar_unit.h"
#include "vm/builtins/java_call.h"
#include "vm/builtins/moment.h"
#include "vm/builtins/number_call.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

bool is_below_days(CalendarUnit unit) { return unit < CalendarUnit::Days; }

Value refuse_unit(Call& call) {
  return java_domain_error(call, "a date has no unit below days: use .atStartOfDay for its first instant");
}

// Months since year 0, and what is left of the month, such that moments of one order have pairs of the same order.
std::int64_t months_of(const CivilDate& date) { return date.year * 12 + date.month - 1; }

bool is_later_in_month(const Moment& a, const Moment& b) {
  const std::uint32_t first = civil_from_days(a.day).day, second = civil_from_days(b.day).day;
  if (first != second) return first > second;
  return a.second != b.second ? a.second > b.second : a.nanos > b.nanos;
}

std::int64_t whole_months(const Moment& start, const Moment& end) {
  std::int64_t months = months_of(civil_from_days(end.day)) - months_of(civil_from_days(start.day));
  if (months > 0 && is_later_in_month(start, end)) --months;
  if (months < 0 && is_later_in_month(end, start)) ++months;
  return months;
}

// Returns false when the count does not fit 64 bits.
bool whole_units(Seconds start, Seconds end, CalendarUnit unit, std::int64_t& count) {
  std::int64_t seconds = end.seconds - start.seconds;
  std::int64_t nanos = static_cast<std::int64_t>(end.nanos) - start.nanos;
  if (seconds > 0 && nanos < 0) {
    --seconds;
    nanos += kNanosPerSecond;
  } else if (seconds < 0 && nanos > 0) {
    ++seconds;
    nanos -= kNanosPerSecond;
  }
  if (unit != CalendarUnit::Millis) {
    count = seconds / (millis_of(unit) / 1'000);
    return true;
  }
  return !__builtin_mul_overflow(seconds, 1'000, &count) && !__builtin_add_overflow(count, nanos / 1'000'000, &count);
}

// Counts the units from argument `from` to the one after it.
Value units_between(Call& call, std::uint32_t from, CalendarUnit unit) {
  Moment start{}, end{};
  if (!moment_argument(call, from, start) || !moment_argument(call, from + 1, end)) return Value::absent();
  const Value first = call.arg(from);
  if (first.tag != call.arg(from + 1).tag) {
    return java_type_error(call, from + 2, first.is(Tag::Date) ? "date" : "instant");
  }
  if (unit == CalendarUnit::Months) return Value::integer(whole_months(start, end));
  if (unit == CalendarUnit::Years) return Value::integer(whole_months(start, end) / 12);
  if (first.is(Tag::Date)) {
    if (is_below_days(unit)) return refuse_unit(call);
    return Value::integer((end.day - start.day) / (unit == CalendarUnit::Weeks ? 7 : 1));
  }
  std::int64_t count = 0;
  if (!whole_units(seconds_of(first), seconds_of(call.arg(from + 1)), unit, count)) return out_of_range(call);
  return Value::integer(count);
}

std::int64_t first_day(std::int64_t day, CalendarUnit unit) {
  const CivilDate date = civil_from_days(day);
  switch (unit) {
    case CalendarUnit::Weeks: return day - weekday_of(day);
    case CalendarUnit::Months: return days_from_civil({date.year, date.month, 1});
    case CalendarUnit::Years: return days_from_civil({date.year, 1, 1});
    default: return day;
  }
}

// Whole units, cut as Java cuts them: seconds down, everything else toward zero.
Value duration_in(Call& call, std::int64_t seconds_each) {
  if (!call.arg(0).is(Tag::Duration)) return java_type_error(call, 1, "duration");
  return Value::integer(seconds_of(call.arg(0)).seconds / seconds_each);
}

}  // namespace

Value builtin_dot_until(Call& call) {
  const auto unit = unit_argument(call, 2);
  return unit ? units_between(call, 0, *unit) : Value::absent();
}

Value builtin_dot_between(Call& call) {
  const auto unit = unit_argument(call, 0);
  return unit ? units_between(call, 1, *unit) : Value::absent();
}

Value builtin_dot_truncatedTo(Call& call) {
  Moment moment{};
  if (!moment_argument(call, 0, moment)) return Value::absent();
  const auto unit = unit_argument(call, 1);
  if (!unit) return Value::absent();
  if (is_below_days(*unit)) {
    if (call.arg(0).is(Tag::Date)) return refuse_unit(call);
    if (*unit == CalendarUnit::Millis) {
      moment.nanos -= moment.nanos % 1'000'000;
    } else {
      moment.second -= moment.second % (millis_of(*unit) / 1'000);
      moment.nanos = 0;
    }
    return moment_value(call, call.arg(0), moment);
  }
  return moment_value(call, call.arg(0), {first_day(moment.day, *unit), 0, 0});
}

Value builtin_dot_atStartOfDay(Call& call) {
  if (!call.arg(0).is(Tag::Date)) return java_type_error(call, 1, "date");
  return seconds_value(call, call.arg(0), {call.arg(0).i * kSecondsPerDay, 0});
}

Value builtin_dot_toInstant(Call& call) {
  if (!is_legacy_date(call.arg(0))) return java_type_error(call, 1, "java.util.Date");
  return seconds_value(call, call.arg(0), seconds_of(call.arg(0)));
}

Value builtin_dot_toHours(Call& call) { return duration_in(call, 3'600); }
Value builtin_dot_toMinutes(Call& call) { return duration_in(call, 60); }
Value builtin_dot_toSeconds(Call& call) { return duration_in(call, 1); }

Value builtin_Duration_parse(Call& call) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  const auto length = parse_duration(text);
  if (!length) return java_domain_error(call, "invalid duration " + shown(text));
  return duration_of(call.heap, *length);
}

}  // namespace ptc
