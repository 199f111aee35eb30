// Moves dates, instants and durations by units of time. Months and years keep to the last day of a month.
#include "vm/builtins/calendar_unit.h"
#include "vm/builtins/java_call.h"
#include "vm/builtins/moment.h"
#include "vm/builtins/number_call.h"

namespace ptc {
namespace {

constexpr std::uint32_t kNanosPerMilli = 1'000'000;

bool add_seconds(Seconds& to, std::int64_t seconds, std::uint32_t nanos) {
  to.nanos += nanos;
  if (to.nanos >= kNanosPerSecond) {
    to.nanos -= kNanosPerSecond;
    if (__builtin_add_overflow(to.seconds, 1, &to.seconds)) return false;
  }
  return !__builtin_add_overflow(to.seconds, seconds, &to.seconds);
}

bool add_units(Seconds& to, std::int64_t count, CalendarUnit unit) {
  if (unit == CalendarUnit::Millis) {
    std::int64_t seconds = count / 1'000, rest = count % 1'000;
    if (rest < 0) {
      rest += 1'000;
      --seconds;
    }
    return add_seconds(to, seconds, static_cast<std::uint32_t>(rest) * kNanosPerMilli);
  }
  std::int64_t seconds = 0;
  return !__builtin_mul_overflow(count, millis_of(unit) / 1'000, &seconds) && add_seconds(to, seconds, 0);
}

Value moved_by_months(Call& call, std::int64_t count, std::int64_t months_each) {
  std::int64_t months = 0;
  Moment moment = moment_of(call.arg(0));
  if (__builtin_mul_overflow(count, months_each, &months)) return out_of_range(call);
  const auto day = day_after_months(moment.day, months);
  if (!day) return out_of_range(call);
  moment.day = *day;
  return moment_value(call, call.arg(0), moment);
}

Value moved_by_days(Call& call, std::int64_t count, std::int64_t days_each) {
  std::int64_t days = 0;
  Moment moment = moment_of(call.arg(0));
  if (__builtin_mul_overflow(count, days_each, &days) || __builtin_add_overflow(moment.day, days, &moment.day)) {
    return out_of_range(call);
  }
  return moment_value(call, call.arg(0), moment);
}

// Returns argument 0 moved by so many units, or Absent after parking a fault. A date has no hours, and months have no
// length that a duration could take.
Value moved(Call& call, std::int64_t count, CalendarUnit unit) {
  const Value from = call.arg(0);
  const bool is_point = from.is(Tag::Date) || is_true_instant(from);
  if (unit == CalendarUnit::Months || unit == CalendarUnit::Years) {
    if (!is_point) return java_type_error(call, 1, "date or instant");
    return moved_by_months(call, count, unit == CalendarUnit::Years ? 12 : 1);
  }
  const bool is_whole_days = unit == CalendarUnit::Days || unit == CalendarUnit::Weeks;
  if (is_whole_days && is_point) return moved_by_days(call, count, unit == CalendarUnit::Weeks ? 7 : 1);
  if (!is_true_instant(from) && !from.is(Tag::Duration)) {
    return java_type_error(call, 1, is_whole_days ? "date, instant or duration" : "instant or duration");
  }
  Seconds at = seconds_of(from);
  if (!add_units(at, count, unit)) return out_of_range(call);
  return seconds_value(call, from, at);
}

// The count in argument 1, negated for a minus.
bool signed_count(Call& call, bool minus, std::int64_t& count) {
  if (!java_long(call, 1, count)) return false;
  if (!minus || !__builtin_sub_overflow(0, count, &count)) return true;
  out_of_range(call);
  return false;
}

// Moves a date. For instants and durations there is .plus with a unit, as in java.time.
Value shifted_date(Call& call, CalendarUnit unit, bool minus) {
  std::int64_t count = 0;
  if (!call.arg(0).is(Tag::Date)) return java_type_error(call, 1, "date");
  return signed_count(call, minus, count) ? moved(call, count, unit) : Value::absent();
}

Value shifted(Call& call, CalendarUnit unit, bool minus) {
  std::int64_t count = 0;
  return signed_count(call, minus, count) ? moved(call, count, unit) : Value::absent();
}

Value shifted_by(Call& call, bool minus) {
  if (call.count() == 3) {
    const auto unit = unit_argument(call, 2);
    return unit ? shifted(call, *unit, minus) : Value::absent();
  }
  const Value from = call.arg(0), by = call.arg(1);
  if (!is_true_instant(from) && !from.is(Tag::Duration)) return java_type_error(call, 1, "instant or duration");
  if (!by.is(Tag::Duration)) return java_type_error(call, 2, "duration");
  Seconds at = seconds_of(from), length = seconds_of(by);
  if (minus) {
    if (__builtin_sub_overflow(length.nanos == 0 ? 0 : -1, length.seconds, &length.seconds)) return out_of_range(call);
    if (length.nanos != 0) length.nanos = kNanosPerSecond - length.nanos;
  }
  if (!add_seconds(at, length.seconds, length.nanos)) return out_of_range(call);
  return seconds_value(call, from, at);
}

}  // namespace

Value builtin_dot_plusDays(Call& call) { return shifted_date(call, CalendarUnit::Days, false); }
Value builtin_dot_minusDays(Call& call) { return shifted_date(call, CalendarUnit::Days, true); }
Value builtin_dot_plusWeeks(Call& call) { return shifted_date(call, CalendarUnit::Weeks, false); }
Value builtin_dot_minusWeeks(Call& call) { return shifted_date(call, CalendarUnit::Weeks, true); }
Value builtin_dot_plusMonths(Call& call) { return shifted_date(call, CalendarUnit::Months, false); }
Value builtin_dot_minusMonths(Call& call) { return shifted_date(call, CalendarUnit::Months, true); }
Value builtin_dot_plusYears(Call& call) { return shifted_date(call, CalendarUnit::Years, false); }
Value builtin_dot_minusYears(Call& call) { return shifted_date(call, CalendarUnit::Years, true); }
Value builtin_dot_plusHours(Call& call) { return shifted(call, CalendarUnit::Hours, false); }
Value builtin_dot_minusHours(Call& call) { return shifted(call, CalendarUnit::Hours, true); }
Value builtin_dot_plusMinutes(Call& call) { return shifted(call, CalendarUnit::Minutes, false); }
Value builtin_dot_minusMinutes(Call& call) { return shifted(call, CalendarUnit::Minutes, true); }
Value builtin_dot_plusSeconds(Call& call) { return shifted(call, CalendarUnit::Seconds, false); }
Value builtin_dot_minusSeconds(Call& call) { return shifted(call, CalendarUnit::Seconds, true); }
Value builtin_dot_plusMillis(Call& call) { return shifted(call, CalendarUnit::Millis, false); }
Value builtin_dot_minusMillis(Call& call) { return shifted(call, CalendarUnit::Millis, true); }
Value builtin_dot_plus(Call& call) { return shifted_by(call, false); }
Value builtin_dot_minus(Call& call) { return shifted_by(call, true); }

}  // namespace ptc
