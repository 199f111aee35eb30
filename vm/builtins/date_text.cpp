// RFC 2822 and Date.toString texts, word by word.
#include "vm/builtins/date_text.h"

#include <array>
#include <charconv>
#include <utility>

#include "vm/value/account.h"
#include "vm/value/calendar.h"

namespace ptc {

namespace {

bool same_word(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { skip_blanks(); }
  bool at_end() const { return text_.empty(); }
  std::string_view peek() const { return text_.substr(0, text_.find_first_of(" \t")); }
  std::string_view next() {
    const std::string_view word = peek();
    text_.remove_prefix(word.size());
    skip_blanks();
    return word;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) text_.remove_prefix(1);
  }
  std::string_view text_;
};

// A number of at least `least` and at most `most` digits, the whole word.
std::optional<std::int64_t> number(std::string_view word, std::size_t least, std::size_t most) {
  if (word.size() < least || word.size() > most) return std::nullopt;
  std::int64_t n = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + (c - '0');
  }
  return n;
}

bool is_weekday(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kNames = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  for (const std::string_view name : kNames) {
    if (same_word(word, name)) return true;
  }
  return false;
}

std::optional<std::uint32_t> month_number(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kNames = {"jan", "feb", "mar", "apr", "may", "jun",
                                                              "jul", "aug", "sep", "oct", "nov", "dec"};
  for (std::uint32_t i = 0; i < kNames.size(); ++i) {
    if (same_word(word, kNames[i])) return i + 1;
  }
  return std::nullopt;
}

// Seconds of the day from H:MM or HH:MM:SS.
std::optional<std::int64_t> clock_time(std::string_view word) {
  const std::size_t first = word.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const auto hour = number(word.substr(0, first), 1, 2);
  std::string_view rest = word.substr(first + 1);
  std::optional<std::int64_t> second = 0;
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    second = number(rest.substr(colon + 1), 2, 2);
    rest = rest.substr(0, colon);
  }
  const auto minute = number(rest, 2, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return *hour * 3'600 + *minute * 60 + (*second == 60 ? 59 : *second);
}

// Seconds east of Greenwich from +0200, +02:00 or a zone name of RFC 2822.
std::optional<std::int64_t> zone_offset(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, int>, 12> kZones = {{{"utc", 0},
                                                                               {"gmt", 0},
                                                                               {"ut", 0},
                                                                               {"z", 0},
                                                                               {"est", -5},
                                                                               {"edt", -4},
                                                                               {"cst", -6},
                                                                               {"cdt", -5},
                                                                               {"mst", -7},
                                                                               {"mdt", -6},
                                                                               {"pst", -8},
                                                                               {"pdt", -7}}};
  for (const auto& [name, hours] : kZones) {
    if (same_word(word, name)) return hours * 3'600;
  }
  if (word.size() < 5 || (word[0] != '+' && word[0] != '-')) return std::nullopt;
  const std::size_t minutes_at = word[3] == ':' ? 4 : 3;
  const auto hours = number(word.substr(1, 2), 2, 2);
  const auto minutes = number(word.substr(minutes_at), 2, 2);
  if (!hours || !minutes || *hours > 18 || *minutes > 59) return std::nullopt;
  const std::int64_t offset = *hours * 3'600 + *minutes * 60;
  return word[0] == '-' ? -offset : offset;
}

std::optional<std::int64_t> millis_of(std::int64_t year, std::uint32_t month, std::int64_t day,
                                      std::int64_t second, std::int64_t offset) {
  if (day < 1 || day > days_in_month(year, month)) return std::nullopt;
  const std::int64_t days = days_from_civil({year, month, static_cast<std::uint32_t>(day)});
  return (days * kSecondsPerDay + second - offset) * 1'000;
}

// [weekday ,] day month year time [zone]
std::optional<std::int64_t> rfc_2822(Words words) {
  if (std::string_view word = words.peek(); !word.empty() && word.back() == ',') {
    word.remove_suffix(1);
    if (!is_weekday(word)) return std::nullopt;
    words.next();
  }
  const auto day = number(words.next(), 1, 2);
  const auto month = month_number(words.next());
  const auto year = number(words.next(), 4, 4);
  const auto time = clock_time(words.next());
  if (!day || !month || !year || !time) return std::nullopt;
  const std::optional<std::int64_t> offset = words.at_end() ? 0 : zone_offset(words.next());
  if (!offset || !words.at_end()) return std::nullopt;
  return millis_of(*year, *month, *day, *time, *offset);
}

// weekday month day time [zone] year
std::optional<std::int64_t> date_to_string(Words words) {
  if (!is_weekday(words.next())) return std::nullopt;
  const auto month = month_number(words.next());
  const auto day = number(words.next(), 1, 2);
  const auto time = clock_time(words.next());
  if (!month || !day || !time) return std::nullopt;
  std::optional<std::int64_t> offset = 0;
  if (!number(words.peek(), 4, 4)) offset = zone_offset(words.next());
  const auto year = number(words.next(), 4, 4);
  if (!offset || !year || !words.at_end()) return std::nullopt;
  return millis_of(*year, *month, *day, *time, *offset);
}

}  // namespace

std::optional<std::int64_t> parse_date_text(std::string_view text) {
  charge_text(8 * text.size());   // words are looked for byte by byte, in several spellings
  if (const auto at = parse_instant(text, InstantSyntax::Lenient)) {
    std::int64_t millis = 0;
    if (__builtin_mul_overflow(at->seconds, 1'000, &millis)) return std::nullopt;
    if (__builtin_add_overflow(millis, at->nanos / 1'000'000, &millis)) return std::nullopt;
    return millis;
  }
  const Words words(text);
  const auto millis = rfc_2822(words);
  return millis ? millis : date_to_string(words);
}

}  // namespace ptc
