#include "vm/builtins/date_pattern.h"

#include <algorithm>
#include <array>

#include "schema/ascii.h"
#include "vm/builtins/calendar_names.h"
#include "vm/value/account.h"

namespace ptc {
namespace {

constexpr std::string_view kDateLetters = "yuMdDEe";
constexpr std::string_view kTimeLetters = "HhamsSX";
constexpr std::size_t kMostFraction = 9;
constexpr std::size_t kMostYearDigits = 9;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// A letter and how often it is there, or a text that stands for itself (letter 0).
struct Part {
  char letter = 0;
  std::size_t count = 0;
  std::string_view text;
};

// Takes the next part off. The letter of a quote that nothing closes is '\''.
Part take_part(std::string_view& pattern) {
  const char first = pattern.front();
  if (is_letter(first)) {
    const std::size_t count = std::min(pattern.find_first_not_of(first), pattern.size());
    pattern.remove_prefix(count);
    return {first, count, {}};
  }
  if (first != '\'') {
    const std::string_view text = pattern.substr(0, 1);
    pattern.remove_prefix(1);
    return {0, 1, text};
  }
  if (pattern.substr(1).starts_with('\'')) {
    const std::string_view text = pattern.substr(0, 1);
    pattern.remove_prefix(2);
    return {0, 1, text};
  }
  const std::size_t end = pattern.find('\'', 1);
  if (end == std::string_view::npos) {
    pattern = {};
    return {'\'', 1, {}};
  }
  const std::string_view text = pattern.substr(1, end - 1);
  pattern.remove_prefix(end + 1);
  return {0, text.size(), text};
}

std::size_t most_of(char letter) {
  switch (letter) {
    case 'y': case 'u': return kMostYearDigits;
    case 'M': case 'E': return 4;
    case 'D': case 'X': return 3;
    case 'S': return kMostFraction;
    case 'e': case 'a': return 1;
    default: return 2;
  }
}

void append_number(std::string& out, std::int64_t number, std::size_t width) {
  if (number < 0) out += '-';
  const std::string digits = std::to_string(number < 0 ? -number : number);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

void append_named(std::string& out, std::string_view name, std::size_t count) {
  out += count == 4 ? name : name.substr(0, 3);
}

void append_year(std::string& out, std::int64_t year, std::size_t count) {
  if (count == 2) return append_number(out, (year % 100 + 100) % 100, 2);
  if (count >= 4 && year > 9999) out += '+';
  append_number(out, year, count);
}

void append_date_part(std::string& out, const Part& part, const Moment& moment) {
  const CivilDate date = civil_from_days(moment.day);
  const auto weekday = static_cast<std::size_t>(weekday_of(moment.day));
  switch (part.letter) {
    case 'y': case 'u': return append_year(out, date.year, part.count);
    case 'M':
      return part.count > 2 ? append_named(out, kMonthNames[date.month - 1], part.count)
                            : append_number(out, date.month, part.count);
    case 'd': return append_number(out, date.day, part.count);
    case 'D': return append_number(out, moment.day - days_from_civil({date.year, 1, 1}) + 1, part.count);
    case 'E': return append_named(out, kWeekdayNames[weekday], part.count);
    default: return append_number(out, static_cast<std::int64_t>(weekday) + 1, part.count);
  }
}

void append_time_part(std::string& out, const Part& part, const Moment& moment) {
  const std::int64_t hour = moment.second / 3'600;
  switch (part.letter) {
    case 'H': return append_number(out, hour, part.count);
    case 'h': return append_number(out, (hour + 11) % 12 + 1, part.count);
    case 'm': return append_number(out, moment.second / 60 % 60, part.count);
    case 's': return append_number(out, moment.second % 60, part.count);
    case 'a': out += hour < 12 ? "AM" : "PM"; return;
    case 'X': out += 'Z'; return;
    default: break;
  }
  std::string digits;
  append_number(digits, moment.nanos, kMostFraction);
  out += digits.substr(0, part.count);
}

// What a text said so far.
struct Fields {
  std::optional<std::int64_t> year, month, day, day_of_year, weekday, hour, hour_of_half, minute, second, offset;
  std::optional<bool> afternoon;
  std::uint32_t nanos = 0;
};

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(std::string_view expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  bool take_any_case(std::string_view name) {
    if (text_.size() < name.size()) return false;
    work_done(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (lower(text_[i]) != lower(name[i])) return false;
    }
    text_.remove_prefix(name.size());
    return true;
  }
  std::optional<std::int64_t> number(std::size_t least, std::size_t most) {
    work_done(1);
    std::size_t count = 0;
    std::int64_t n = 0;
    for (; count < most && count < text_.size() && is_digit(text_[count]); ++count) n = n * 10 + (text_[count] - '0');
    if (count < least) return std::nullopt;
    text_.remove_prefix(count);
    return n;
  }
  // The position of the name, from 1.
  std::optional<std::int64_t> name(std::span<const std::string_view> names, std::size_t count) {
    work_done(1);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (take_any_case(count == 4 ? names[i] : names[i].substr(0, 3))) return static_cast<std::int64_t>(i) + 1;
    }
    return std::nullopt;
  }
  std::optional<std::int64_t> year(std::size_t count) {
    if (count == 2) {
      const auto year = number(2, 2);
      return year ? std::optional(2'000 + *year) : std::nullopt;
    }
    const bool minus = take("-");
    const bool plus = !minus && count >= 4 && take("+");
    const auto year = number(count, plus || minus || count == 1 ? kMostYearDigits : count);
    return year && minus ? std::optional(-*year) : year;
  }
  // Z, or a sign with hours and minutes, as seconds east of Greenwich.
  std::optional<std::int64_t> offset(std::size_t count) {
    if (take("Z")) return 0;
    const bool minus = take("-");
    if (!minus && !take("+")) return std::nullopt;
    const auto hours = number(2, 2);
    if (!hours || *hours > 18 || (count == 3 && !take(":"))) return std::nullopt;
    const auto minutes = count == 1 && (at_end() || !is_digit(text_.front())) ? std::optional<std::int64_t>(0)
                                                                              : number(2, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    const std::int64_t seconds = *hours * 3'600 + *minutes * 60;
    return minus ? -seconds : seconds;
  }

 private:
  std::string_view text_;
};

// Says the same twice, or for the first time.
bool note(std::optional<std::int64_t>& field, std::optional<std::int64_t> read, std::int64_t least, std::int64_t most) {
  if (!read || *read < least || *read > most || (field && *field != *read)) return false;
  field = read;
  return true;
}

bool read_fraction(TextReader& text, Fields& fields, std::size_t count) {
  const auto digits = text.number(count, count);
  if (!digits) return false;
  std::int64_t nanos = *digits;
  for (std::size_t i = count; i < kMostFraction; ++i) nanos *= 10;
  fields.nanos = static_cast<std::uint32_t>(nanos);
  return true;
}

bool read_part(TextReader& text, const Part& part, Fields& fields) {
  const std::size_t count = part.count;
  const std::size_t most = count == 1 ? 2 : count;
  switch (part.letter) {
    case 0: return text.take(part.text);
    case 'y': case 'u': return note(fields.year, text.year(count), kMinYear, kMaxYear);
    case 'M': return note(fields.month, count > 2 ? text.name(kMonthNames, count) : text.number(count, most), 1, 12);
    case 'd': return note(fields.day, text.number(count, most), 1, 31);
    case 'D': return note(fields.day_of_year, text.number(count, count == 1 ? 3 : count), 1, 366);
    case 'E': return note(fields.weekday, text.name(kWeekdayNames, count), 1, 7);
    case 'e': return note(fields.weekday, text.number(1, 1), 1, 7);
    case 'H': return note(fields.hour, text.number(count, most), 0, 23);
    case 'h': return note(fields.hour_of_half, text.number(count, most), 1, 12);
    case 'm': return note(fields.minute, text.number(count, most), 0, 59);
    case 's': return note(fields.second, text.number(count, most), 0, 59);
    case 'X': return note(fields.offset, text.offset(count), -18 * 3'600, 18 * 3'600);
    case 'S': return read_fraction(text, fields, count);
    default: break;
  }
  fields.afternoon = text.take_any_case("PM");
  return *fields.afternoon || text.take_any_case("AM");
}

std::optional<std::int64_t> day_of(const Fields& fields) {
  if (!fields.year) return std::nullopt;
  std::int64_t day = 0;
  if (fields.month && fields.day) {
    const auto month = static_cast<std::uint32_t>(*fields.month), number = static_cast<std::uint32_t>(*fields.day);
    if (number > days_in_month(*fields.year, month)) return std::nullopt;
    day = days_from_civil({*fields.year, month, number});
  } else if (fields.day_of_year) {
    if (*fields.day_of_year > (is_leap_year(*fields.year) ? 366 : 365)) return std::nullopt;
    day = days_from_civil({*fields.year, 1, 1}) + *fields.day_of_year - 1;
  } else {
    return std::nullopt;
  }
  const bool is_right_weekday = !fields.weekday || *fields.weekday == weekday_of(day) + 1;
  return is_right_weekday ? std::optional(day) : std::nullopt;
}

std::optional<std::int64_t> hour_of(const Fields& fields) {
  if (!fields.hour_of_half) return fields.hour.value_or(0);
  if (!fields.afternoon) return std::nullopt;
  const std::int64_t hour = *fields.hour_of_half % 12 + (*fields.afternoon ? 12 : 0);
  return fields.hour.value_or(hour) == hour ? std::optional(hour) : std::nullopt;
}

}  // namespace

std::string check_date_pattern(std::string_view pattern, bool has_time) {
  charge_text(pattern.size());
  if (pattern.empty()) return "the pattern is empty";
  if (pattern.size() > kMostPatternBytes) {
    return "the pattern is longer than " + std::to_string(kMostPatternBytes) + " bytes";
  }
  while (!pattern.empty()) {
    const Part part = take_part(pattern);
    if (part.letter == 0) continue;
    if (part.letter == '\'') return "the pattern has a quote that nothing closes";
    const std::string letters(part.count, part.letter);
    const bool is_time = kTimeLetters.find(part.letter) != std::string_view::npos;
    if (!is_time && kDateLetters.find(part.letter) == std::string_view::npos) {
      return "the pattern has the unknown letter " + letters + ": put text between quotes ('at')";
    }
    if (is_time && !has_time) return "a date has no time for " + letters;
    if (part.count > most_of(part.letter)) return "the pattern has too many letters " + letters;
  }
  return {};
}

void append_by_pattern(std::string& out, std::string_view pattern, const Moment& moment) {
  charge_text(pattern.size());
  while (!pattern.empty()) {
    const Part part = take_part(pattern);
    if (part.letter == 0) {
      out += part.text;
    } else if (kTimeLetters.find(part.letter) != std::string_view::npos) {
      append_time_part(out, part, moment);
    } else {
      append_date_part(out, part, moment);
    }
  }
}

std::optional<Moment> read_by_pattern(std::string_view text, std::string_view pattern) {
  charge_text(text.size() + pattern.size());
  TextReader reader(text);
  Fields fields;
  while (!pattern.empty()) {
    if (!read_part(reader, take_part(pattern), fields)) return std::nullopt;
  }
  const auto day = day_of(fields);
  const auto hour = hour_of(fields);
  if (!reader.at_end() || !day || !hour) return std::nullopt;
  const std::int64_t second = *hour * 3'600 + fields.minute.value_or(0) * 60 + fields.second.value_or(0) -
                              fields.offset.value_or(0);
  std::int64_t whole_days = second / kSecondsPerDay;
  if (second % kSecondsPerDay < 0) --whole_days;
  return Moment{*day + whole_days, second - whole_days * kSecondsPerDay, fields.nanos};
}

}  // namespace ptc
