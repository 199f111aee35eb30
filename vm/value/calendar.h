// Computes with the proleptic Gregorian calendar, and writes and reads the ISO-8601 texts of dates, instants and
// durations.
//
// Invariant: a date is between kMinEpochDay and kMaxEpochDay (years -999,999,999 to 999,999,999) and an instant between
// kMinEpochSecond and kMaxEpochSecond. Code that makes one from numbers checks the range first.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::int64_t kMinYear = -999'999'999;
inline constexpr std::int64_t kMaxYear = 999'999'999;
inline constexpr std::int64_t kSecondsPerDay = 86'400;
inline constexpr std::uint32_t kNanosPerSecond = 1'000'000'000;

struct CivilDate {
  std::int64_t year;
  std::uint32_t month;  // 1 .. 12
  std::uint32_t day;    // 1 .. 31
};

// A point of time or a span of time: whole seconds, rounded down, plus nanoseconds.
struct Seconds {
  std::int64_t seconds;
  std::uint32_t nanos;  // 0 .. 999,999,999
};

bool is_leap_year(std::int64_t year);
std::uint32_t days_in_month(std::int64_t year, std::uint32_t month);
// Convert a date to days since 1970-01-01 and back.
std::int64_t days_from_civil(CivilDate date);
CivilDate civil_from_days(std::int64_t days);

inline constexpr std::int64_t kMinEpochDay = -365'243'219'162;
inline constexpr std::int64_t kMaxEpochDay = 365'241'780'471;
inline constexpr std::int64_t kMinEpochSecond = -31'557'014'167'219'200;  // year -1,000,000,000
inline constexpr std::int64_t kMaxEpochSecond = 31'556'889'864'403'199;   // year 1,000,000,000

void append_date(std::string& out, std::int64_t epoch_day);  // 2024-01-15, +12345-01-01, -0001-12-31
enum class Fraction : std::uint8_t { AsNeeded, Millis };     // AsNeeded: 0, 3, 6 or 9 digits
void append_instant(std::string& out, Seconds at, Fraction fraction = Fraction::AsNeeded);
void append_duration(std::string& out, Seconds length);  // PT8H6M12.345S

std::optional<std::int64_t> parse_date(std::string_view text);
// Strict reads a date, T, a time with seconds, and Z or ±HH:MM[:SS]. Lenient also reads a date alone (midnight), a
// blank for T, times without seconds, and offsets without a colon.
enum class InstantSyntax : std::uint8_t { Strict, Lenient };
std::optional<Seconds> parse_instant(std::string_view text, InstantSyntax syntax = InstantSyntax::Strict);
std::optional<Seconds> parse_duration(std::string_view text);
// Returns whether a literal with the tag date, inst (lenient) or duration may have the text.
bool is_temporal_text(std::string_view tag, std::string_view text);

Value instant_of(Heap& heap, Seconds at);
Value legacy_date_of(Heap& heap, std::int64_t epoch_millis);  // makes a java.util.Date
Value duration_of(Heap& heap, Seconds length);
// Appends the text of a Date, Instant or Duration value.
void append_temporal(std::string& out, Value temporal);

}  // namespace ptc
