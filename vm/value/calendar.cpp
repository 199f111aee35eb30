// Calendar arithmetic by the 400-year cycle of 146,097 days, with years that begin in March so that the leap
// day is the last day of a year.
#include "vm/value/calendar.h"

#include <array>
#include <charconv>

namespace ptc {

namespace {

constexpr std::int64_t kDaysPerCycle = 146'097;
constexpr std::int64_t kEpochShift = 719'468;  // days from 0000-03-01 to 1970-01-01

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

void append_padded(std::string& out, std::uint64_t n, std::size_t width) {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), n).ptr;
  const auto size = static_cast<std::size_t>(end - text.data());
  if (size < width) out.append(width - size, '0');
  out.append(text.data(), size);
}

void append_fraction(std::string& out, std::uint32_t nanos, Fraction fraction) {
  if (nanos == 0 && fraction == Fraction::AsNeeded) return;
  out += '.';
  if (fraction == Fraction::Millis || nanos % 1'000'000 == 0) {
    append_padded(out, nanos / 1'000'000, 3);
  } else if (nanos % 1'000 == 0) {
    append_padded(out, nanos / 1'000, 6);
  } else {
    append_padded(out, nanos, 9);
  }
}

}  // namespace

bool is_leap_year(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

std::uint32_t days_in_month(std::int64_t year, std::uint32_t month) {
  static constexpr std::array<std::uint8_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

std::int64_t days_from_civil(CivilDate date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t cycle = floor_div(year, 400);
  const std::int64_t year_of_cycle = year - cycle * 400;
  const std::int64_t month_from_march = date.month > 2 ? date.month - 3 : date.month + 9;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const std::int64_t day_of_cycle =
      year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
  return cycle * kDaysPerCycle + day_of_cycle - kEpochShift;
}

CivilDate civil_from_days(std::int64_t days) {
  const std::int64_t shifted = days + kEpochShift;
  const std::int64_t cycle = floor_div(shifted, kDaysPerCycle);
  const std::int64_t day_of_cycle = shifted - cycle * kDaysPerCycle;
  const std::int64_t year_of_cycle =
      (day_of_cycle - day_of_cycle / 1'460 + day_of_cycle / 36'524 - day_of_cycle / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = cycle * 400 + year_of_cycle + (month <= 2 ? 1 : 0);
  return {year, static_cast<std::uint32_t>(month), static_cast<std::uint32_t>(day)};
}

void append_date(std::string& out, std::int64_t epoch_day) {
  const CivilDate date = civil_from_days(epoch_day);
  if (date.year < 0) out += '-';
  if (date.year > 9999) out += '+';
  append_padded(out, static_cast<std::uint64_t>(date.year < 0 ? -date.year : date.year), 4);
  out += '-';
  append_padded(out, date.month, 2);
  out += '-';
  append_padded(out, date.day, 2);
}

void append_instant(std::string& out, Seconds at, Fraction fraction) {
  const std::int64_t day = floor_div(at.seconds, kSecondsPerDay);
  const auto second = static_cast<std::uint32_t>(at.seconds - day * kSecondsPerDay);
  append_date(out, day);
  out += 'T';
  append_padded(out, second / 3'600, 2);
  out += ':';
  append_padded(out, second / 60 % 60, 2);
  out += ':';
  append_padded(out, second % 60, 2);
  append_fraction(out, at.nanos, fraction);
  out += 'Z';
}

void append_duration(std::string& out, Seconds length) {
  if (length.seconds == 0 && length.nanos == 0) {
    out += "PT0S";
    return;
  }
  const bool borrowed = length.seconds < 0 && length.nanos > 0;  // -1.5 s is stored as -2 s + 0.5 s
  const std::int64_t whole = borrowed ? length.seconds + 1 : length.seconds;
  const std::int64_t hours = whole / 3'600;
  const std::int64_t minutes = whole % 3'600 / 60;
  const std::int64_t seconds = whole % 60;
  out += "PT";
  if (hours != 0) out += std::to_string(hours) + 'H';
  if (minutes != 0) out += std::to_string(minutes) + 'M';
  if (seconds == 0 && length.nanos == 0) return;
  out += borrowed && seconds == 0 ? std::string("-0") : std::to_string(seconds);
  if (length.nanos > 0) {
    out += '.';
    append_padded(out, borrowed ? kNanosPerSecond - length.nanos : length.nanos, 9);
    while (out.back() == '0') out.pop_back();
  }
  out += 'S';
}

Value instant_of(Heap& heap, Seconds at) {
  auto* instant = heap.make<Instant>(Kind::Instant);
  instant->epoch_seconds = at.seconds;
  instant->nanos = at.nanos;
  instant->unused = 0;
  return Value::of(Tag::Instant, instant);
}

Value legacy_date_of(Heap& heap, std::int64_t epoch_millis) {
  const std::int64_t seconds = floor_div(epoch_millis, 1'000);
  const auto millis = static_cast<std::uint32_t>(epoch_millis - seconds * 1'000);
  const Value date = instant_of(heap, {seconds, millis * 1'000'000});
  date.object->flags = Instant::kLegacyDate;
  return date;
}

Value duration_of(Heap& heap, Seconds length) {
  auto* duration = heap.make<Duration>(Kind::Duration);
  duration->seconds = length.seconds;
  duration->nanos = length.nanos;
  duration->unused = 0;
  return Value::of(Tag::Duration, duration);
}

void append_temporal(std::string& out, Value temporal) {
  if (temporal.is(Tag::Date)) {
    append_date(out, temporal.i);
  } else if (temporal.is(Tag::Instant)) {
    const auto* instant = static_cast<const Instant*>(temporal.object);
    append_instant(out, {instant->epoch_seconds, instant->nanos});
  } else if (temporal.is(Tag::Duration)) {
    const auto* duration = static_cast<const Duration*>(temporal.object);
    append_duration(out, {duration->seconds, duration->nanos});
  }
}

}  // namespace ptc
