// LocalDate, Instant, Duration, java.util.Date and the clock.
//
// A java.util.Date is an instant with Instant::kLegacyDate set: same order and same point of time, but
// .getTime, .before and .after belong to it alone, and Duration/between and .toEpochMilli to true instants
// alone.
#include <string>

#include "vm/builtins/date_text.h"
#include "vm/builtins/java_call.h"
#include "vm/builtins/moment.h"
#include "vm/builtins/number_call.h"
#include "vm/value/calendar.h"
#include "vm/value/order.h"
#include "vm/value/print.h"

namespace ptc {

namespace {

// Milliseconds, floored; false when they do not fit in 64 bits.
bool floored_millis(Seconds at, std::int64_t& millis) {
  if (at.seconds < 0 && at.nanos > 0) {  // away from the lower end before multiplying
    if (__builtin_mul_overflow(at.seconds + 1, 1'000, &millis)) return false;
    return !__builtin_add_overflow(millis, static_cast<std::int64_t>(at.nanos / 1'000'000) - 1'000, &millis);
  }
  if (__builtin_mul_overflow(at.seconds, 1'000, &millis)) return false;
  return !__builtin_add_overflow(millis, at.nanos / 1'000'000, &millis);
}

bool read_clock(Call& call, std::int64_t& millis) {
  if (call.env.clock_millis == nullptr) {
    call.env.needs_clock = true;
    call.fail(FaultKind::Cancelled, "clock");
    return false;
  }
  millis = *call.env.clock_millis;
  return true;
}

// The two temporals in order: negative, 0, positive. Kinds are checked before.
int temporal_order(Value a, Value b) { return guest_compare(a, b).order; }

// .isBefore and .isAfter compare whatever is of one kind.
bool same_kind_points(Call& call) {
  const Value a = call.arg(0);
  const Value b = call.arg(1);
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (is_point_of_time(call.arg(i))) continue;
    call.type_error(i + 1, "date or instant");
    return false;
  }
  if (a.tag == b.tag && is_legacy_date(a) == is_legacy_date(b)) return true;
  std::string text(call.name());
  text += ": cannot compare ";
  text += kind_text(a);
  text += " with ";
  text += kind_text(b);
  call.fail(FaultKind::TypeError, std::move(text));
  return false;
}

bool two_legacy_dates(Call& call) {
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (is_legacy_date(call.arg(i))) continue;
    java_type_error(call, i + 1, "java.util.Date");
    return false;
  }
  return true;
}

}  // namespace

Value builtin_System_currentTimeMillis(Call& call) {
  std::int64_t millis = 0;
  if (!read_clock(call, millis)) return Value::absent();
  return Value::integer(millis);
}

Value builtin_date_new(Call& call) {
  std::int64_t millis = 0;
  if (call.count() == 0) {
    if (!read_clock(call, millis)) return Value::absent();
    return legacy_date_of(call.heap, millis);
  }
  if (call.arg(0).is_string()) {
    std::string_view text;
    if (!java_string(call, 0, text)) return Value::absent();
    const auto parsed = parse_date_text(text);
    if (!parsed) {
      return java_domain_error(
          call, "cannot parse " + shown(text) + ". Expected ISO-8601, RFC 2822, or milliseconds");
    }
    return legacy_date_of(call.heap, *parsed);
  }
  if (!call.arg(0).is_number()) return java_type_error(call, 1, "string or milliseconds");
  if (!java_long(call, 0, millis)) return Value::absent();
  return legacy_date_of(call.heap, millis);
}

Value builtin_Duration_between(Call& call) {
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (!is_true_instant(call.arg(i))) return java_type_error(call, i + 1, "instant");
  }
  const Seconds start = seconds_of(call.arg(0));
  const Seconds end = seconds_of(call.arg(1));
  Seconds length{end.seconds - start.seconds, 0};
  if (end.nanos >= start.nanos) {
    length.nanos = end.nanos - start.nanos;
  } else {
    length.seconds -= 1;
    length.nanos = kNanosPerSecond - (start.nanos - end.nanos);
  }
  return duration_of(call.heap, length);
}

Value builtin_dot_getTime(Call& call) {
  if (!is_legacy_date(call.arg(0))) return java_type_error(call, 1, "java.util.Date");
  std::int64_t millis = 0;
  if (!floored_millis(seconds_of(call.arg(0)), millis))
    return java_domain_error(call, "the date is out of range");
  return Value::integer(millis);
}

Value builtin_dot_isBefore(Call& call) {
  if (!same_kind_points(call)) return Value::absent();
  return Value::boolean(temporal_order(call.arg(0), call.arg(1)) < 0);
}

Value builtin_dot_isAfter(Call& call) {
  if (!same_kind_points(call)) return Value::absent();
  return Value::boolean(temporal_order(call.arg(0), call.arg(1)) > 0);
}

Value builtin_dot_before(Call& call) {
  if (!two_legacy_dates(call)) return Value::absent();
  return Value::boolean(temporal_order(call.arg(0), call.arg(1)) < 0);
}

Value builtin_dot_after(Call& call) {
  if (!two_legacy_dates(call)) return Value::absent();
  return Value::boolean(temporal_order(call.arg(0), call.arg(1)) > 0);
}

Value builtin_dot_toEpochDay(Call& call) {
  if (!call.arg(0).is(Tag::Date)) return java_type_error(call, 1, "date");
  return Value::integer(call.arg(0).i);
}

Value builtin_dot_toEpochMilli(Call& call) {
  if (!is_true_instant(call.arg(0))) return java_type_error(call, 1, "instant");
  std::int64_t millis = 0;
  if (!floored_millis(seconds_of(call.arg(0)), millis)) {
    return java_domain_error(call, "the milliseconds do not fit in 64 bits");
  }
  return Value::integer(millis);
}

Value builtin_dot_toMillis(Call& call) {
  if (!call.arg(0).is(Tag::Duration)) return java_type_error(call, 1, "duration");
  const auto* length = static_cast<const Duration*>(call.arg(0).object);
  std::int64_t millis = 0;
  if (!floored_millis({length->seconds, length->nanos}, millis)) {
    return java_domain_error(call, "the milliseconds do not fit in 64 bits");
  }
  const bool cut = length->seconds < 0 && length->nanos % 1'000'000 != 0;  // toward zero, not down
  return Value::integer(cut ? millis + 1 : millis);
}

Value builtin_dot_toDays(Call& call) {
  if (!call.arg(0).is(Tag::Duration)) return java_type_error(call, 1, "duration");
  return Value::integer(static_cast<const Duration*>(call.arg(0).object)->seconds / kSecondsPerDay);
}

}  // namespace ptc
