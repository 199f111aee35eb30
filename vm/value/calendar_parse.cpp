// ISO-8601 text -> dates, instants, durations. Every number is bounded before it is used, so nothing can
// overflow.
#include <charconv>

#include "vm/value/calendar.h"
#include "vm/value/account.h"

namespace ptc {

namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool accept(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    return true;
  }
  bool accept_letter(char upper) { return accept(upper) || accept(static_cast<char>(upper + ('a' - 'A'))); }
  // Between least and most digits as a number.
  std::optional<std::int64_t> digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    std::int64_t n = 0;
    while (count < most && peek() >= '0' && peek() <= '9') {
      n = n * 10 + (peek() - '0');
      ++at_;
      ++count;
    }
    digit_count_ = count;
    if (count < least) return std::nullopt;
    return n;
  }
  std::size_t digit_count() const { return digit_count_; }  // digits that the last digits() read

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t digit_count_ = 0;
};

std::optional<std::int64_t> scan_year(Scanner& in, std::size_t most_digits) {
  const bool plus = in.accept('+');
  const bool minus = !plus && in.accept('-');
  const auto year = in.digits(plus ? 5 : 4, plus || minus ? most_digits : 4);
  if (!year) return std::nullopt;
  return minus ? -*year : *year;
}

std::optional<CivilDate> scan_date(Scanner& in, std::size_t most_year_digits) {
  const auto year = scan_year(in, most_year_digits);
  if (!year || !in.accept('-')) return std::nullopt;
  const auto month = in.digits(2, 2);
  if (!month || *month < 1 || *month > 12 || !in.accept('-')) return std::nullopt;
  const auto day = in.digits(2, 2);
  const auto m = static_cast<std::uint32_t>(*month);
  if (!day || *day < 1 || *day > days_in_month(*year, m)) return std::nullopt;
  return CivilDate{*year, m, static_cast<std::uint32_t>(*day)};
}

// [.digits] with at most nine of them, as nanoseconds.
std::optional<std::uint32_t> scan_fraction(Scanner& in) {
  if (!in.accept('.')) return 0;
  const auto fraction = in.digits(0, 9);
  if (!fraction) return std::nullopt;
  std::int64_t nanos = *fraction;
  for (std::size_t i = in.digit_count(); i < 9; ++i) nanos *= 10;
  return static_cast<std::uint32_t>(nanos);
}

// Seconds of the day; 24:00:00 is the end of the day and 23:59:60, a leap second, counts as 23:59:59.
std::optional<Seconds> scan_time(Scanner& in, InstantSyntax syntax) {
  const auto hour = in.digits(2, 2);
  if (!hour || !in.accept(':')) return std::nullopt;
  const auto minute = in.digits(2, 2);
  if (!minute) return std::nullopt;
  std::int64_t second = 0;
  std::uint32_t nanos = 0;
  if (in.accept(':')) {
    const auto read = in.digits(2, 2);
    const auto fraction = read ? scan_fraction(in) : std::nullopt;
    if (!fraction) return std::nullopt;
    second = *read;
    nanos = *fraction;
  } else if (syntax == InstantSyntax::Strict) {
    return std::nullopt;
  }
  if (*hour == 24 && (*minute != 0 || second != 0 || nanos != 0)) return std::nullopt;
  const bool leap_second = *hour == 23 && *minute == 59 && second == 60;
  if (*hour > 24 || *minute > 59 || (second > 59 && !leap_second)) return std::nullopt;
  return Seconds{*hour * 3'600 + *minute * 60 + (leap_second ? 59 : second), nanos};
}

// Z or ±HH:MM[:SS] as seconds east of Greenwich.
std::optional<std::int64_t> scan_offset(Scanner& in, InstantSyntax syntax) {
  if (in.accept_letter('Z')) return 0;
  const bool minus = in.accept('-');
  if (!minus && !in.accept('+')) return std::nullopt;
  const bool strict = syntax == InstantSyntax::Strict;
  const auto hours = in.digits(2, 2);
  if (!hours || *hours > 18) return std::nullopt;
  const bool colon = in.accept(':');
  if (strict && !colon) return std::nullopt;
  std::int64_t minutes = 0;
  std::int64_t seconds = 0;
  if (strict || colon || !in.at_end()) {
    const auto read = in.digits(2, 2);
    if (!read || *read > 59) return std::nullopt;
    minutes = *read;
  }
  if (colon && in.accept(':')) {
    const auto read = in.digits(2, 2);
    if (!read || *read > 59) return std::nullopt;
    seconds = *read;
  }
  const std::int64_t offset = *hours * 3'600 + minutes * 60 + seconds;
  if (offset > 18 * 3'600) return std::nullopt;
  return minus ? -offset : offset;
}

bool accept_separator(Scanner& in, InstantSyntax syntax) {
  return in.accept_letter('T') || (syntax == InstantSyntax::Lenient && in.accept(' '));
}

// A signed decimal with a unit letter, as whole seconds and nanoseconds of that sign.
struct Amount {
  bool negative;
  std::int64_t whole;
  std::uint32_t nanos;
};

std::optional<Amount> scan_amount(Scanner& in) {
  const bool negative = in.accept('-');
  if (!negative) in.accept('+');
  const auto whole = in.digits(1, 18);
  if (!whole) return std::nullopt;
  const auto nanos = scan_fraction(in);
  if (!nanos) return std::nullopt;
  return Amount{negative, *whole, *nanos};
}

bool add_scaled(Seconds& total, const Amount& amount, std::int64_t unit, bool negate) {
  std::int64_t seconds = 0;
  if (__builtin_mul_overflow(amount.whole, unit, &seconds)) return false;
  std::int64_t nanos = amount.nanos;
  if (amount.negative != negate) {
    seconds = -seconds;
    nanos = -nanos;
  }
  nanos += total.nanos;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    if (__builtin_sub_overflow(seconds, 1, &seconds)) return false;
  } else if (nanos >= kNanosPerSecond) {
    nanos -= kNanosPerSecond;
    if (__builtin_add_overflow(seconds, 1, &seconds)) return false;
  }
  total.nanos = static_cast<std::uint32_t>(nanos);
  return !__builtin_add_overflow(total.seconds, seconds, &total.seconds);
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
  charge_text(text.size());
  Scanner in(text);
  const auto date = scan_date(in, 9);
  if (!date || !in.at_end()) return std::nullopt;
  return days_from_civil(*date);
}

std::optional<Seconds> parse_instant(std::string_view text, InstantSyntax syntax) {
  charge_text(text.size());
  Scanner in(text);
  const auto date = scan_date(in, 10);
  if (!date) return std::nullopt;
  const std::int64_t midnight = days_from_civil(*date) * kSecondsPerDay;
  if (in.at_end() && syntax == InstantSyntax::Lenient) return Seconds{midnight, 0};
  if (!accept_separator(in, syntax)) return std::nullopt;
  const auto time = scan_time(in, syntax);
  const auto offset = time ? scan_offset(in, syntax) : std::nullopt;
  if (!offset || !in.at_end()) return std::nullopt;
  const std::int64_t seconds = midnight + time->seconds - *offset;
  if (seconds < kMinEpochSecond || seconds > kMaxEpochSecond) return std::nullopt;
  return Seconds{seconds, time->nanos};
}

std::optional<Seconds> parse_duration(std::string_view text) {
  charge_text(text.size());
  Scanner in(text);
  const bool negate = in.accept('-');
  if (!in.accept_letter('P')) return std::nullopt;
  Seconds total{0, 0};
  bool time = false;
  bool any = false;
  std::int64_t last_unit = INT64_MAX;  // units come in falling order, each at most once
  while (!in.at_end()) {
    if (!time && in.accept_letter('T')) {
      time = true;
      any = false;
      continue;
    }
    const auto amount = scan_amount(in);
    if (!amount) return std::nullopt;
    std::int64_t unit = 0;
    if (!time && in.accept_letter('D')) unit = kSecondsPerDay;
    if (time && in.accept_letter('H')) unit = 3'600;
    if (time && unit == 0 && in.accept_letter('M')) unit = 60;
    if (time && unit == 0 && in.accept_letter('S')) unit = 1;
    if (unit == 0 || unit >= last_unit || (unit > 1 && amount->nanos != 0)) return std::nullopt;
    if (!add_scaled(total, *amount, unit, negate)) return std::nullopt;
    last_unit = unit;
    any = true;
  }
  if (!any) return std::nullopt;
  return total;
}

bool is_temporal_text(std::string_view tag, std::string_view text) {
  if (tag == "date") return parse_date(text).has_value();
  if (tag == "inst") return parse_instant(text, InstantSyntax::Lenient).has_value();
  return parse_duration(text).has_value();
}

}  // namespace ptc
