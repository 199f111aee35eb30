#include "vm/builtins/moment.h"

#include <algorithm>

#include "vm/builtins/number_call.h"

namespace ptc {

bool is_legacy_date(Value v) { return v.is(Tag::Instant) && (v.object->flags & Instant::kLegacyDate) != 0; }
bool is_true_instant(Value v) { return v.is(Tag::Instant) && !is_legacy_date(v); }

Seconds seconds_of(Value instant_or_duration) {
  if (instant_or_duration.is(Tag::Duration)) {
    const auto* length = static_cast<const Duration*>(instant_or_duration.object);
    return {length->seconds, length->nanos};
  }
  const auto* at = static_cast<const Instant*>(instant_or_duration.object);
  return {at->epoch_seconds, at->nanos};
}

Moment moment_of(Value date_or_instant) {
  if (date_or_instant.is(Tag::Date)) return {date_or_instant.i, 0, 0};
  const Seconds at = seconds_of(date_or_instant);
  std::int64_t day = at.seconds / kSecondsPerDay;
  if (at.seconds % kSecondsPerDay < 0) --day;
  return {day, at.seconds - day * kSecondsPerDay, at.nanos};
}

std::optional<std::int64_t> day_after_months(std::int64_t day, std::int64_t months) {
  constexpr std::int64_t kMostMonths = 12 * (kMaxYear - kMinYear + 1);
  if (months < -kMostMonths || months > kMostMonths) return std::nullopt;
  const CivilDate date = civil_from_days(day);
  const std::int64_t moved = date.year * 12 + (date.month - 1) + months;
  const std::int64_t year = moved >= 0 ? moved / 12 : -((11 - moved) / 12);
  if (year < kMinYear || year > kMaxYear) return std::nullopt;
  const auto month = static_cast<std::uint32_t>(moved - year * 12) + 1;
  return days_from_civil({year, month, std::min(date.day, days_in_month(year, month))});
}

// 1970-01-01 was a Thursday.
int weekday_of(std::int64_t day) { return static_cast<int>(((day + 3) % 7 + 7) % 7); }

bool moment_argument(Call& call, std::uint32_t i, Moment& moment) {
  if (!call.arg(i).is(Tag::Date) && !is_true_instant(call.arg(i))) {
    java_type_error(call, i + 1, "date or instant");
    return false;
  }
  moment = moment_of(call.arg(i));
  return true;
}

Value moment_value(Call& call, Value like, Moment moment) {
  if (moment.day < kMinEpochDay - 366 || moment.day > kMaxEpochDay + 366) return out_of_range(call);
  if (like.is(Tag::Date)) {
    const bool is_in_range = moment.day >= kMinEpochDay && moment.day <= kMaxEpochDay;
    return is_in_range ? Value::date(moment.day) : out_of_range(call);
  }
  return seconds_value(call, like, {moment.day * kSecondsPerDay + moment.second, moment.nanos});
}

Value seconds_value(Call& call, Value like, Seconds at) {
  if (like.is(Tag::Duration)) return duration_of(call.heap, at);
  if (at.seconds < kMinEpochSecond || at.seconds > kMaxEpochSecond) return out_of_range(call);
  return instant_of(call.heap, at);
}

Value out_of_range(Call& call) { return java_domain_error(call, "the result is out of range"); }

}  // namespace ptc
