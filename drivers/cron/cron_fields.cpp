#include "drivers/cron/cron_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

namespace ptcvm::drivers {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kMonths{"jan"sv, "feb"sv, "mar"sv, "apr"sv, "may"sv, "jun"sv,
                             "jul"sv, "aug"sv, "sep"sv, "oct"sv, "nov"sv, "dec"sv};
constexpr std::array kWeekdays{"sun"sv, "mon"sv, "tue"sv, "wed"sv, "thu"sv, "fri"sv, "sat"sv};

constexpr std::pair<std::string_view, std::string_view> kNicknames[] = {
    {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
    {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}};

// What a field may hold. The first name stands for `least`.
struct FieldKind {
  std::string_view name;
  unsigned least, most;
  std::span<const std::string_view> names = {};
};

// Reads one field: calls `set` with each of its numbers.
class FieldReader {
 public:
  FieldReader(const FieldKind& kind, std::string& message) : kind_(kind), message_(message) {}

  template <class Set>
  bool read(std::string_view text, Set set) {
    for (;;) {
      const std::size_t comma = text.find(',');
      if (!part(text.substr(0, comma), set)) return false;
      if (comma == std::string_view::npos) return true;
      text.remove_prefix(comma + 1);
    }
  }

 private:
  template <class Set>
  bool part(std::string_view text, Set set) {
    const std::size_t slash = text.find('/');
    std::string_view range = text.substr(0, slash);
    const std::size_t dash = range.find('-');
    unsigned step = 1, first = kind_.least, last = kind_.most;
    if (slash != std::string_view::npos && (!number(text.substr(slash + 1), step) || step == 0)) {
      return refuse(text, "a step is a number from 1");
    }
    if (range != "*") {
      if (!value(range.substr(0, dash), first)) return refuse(text, "");
      last = first;
      if (dash != std::string_view::npos && !value(range.substr(dash + 1), last)) return refuse(text, "");
      const bool is_one = dash == std::string_view::npos;
      if (is_one && slash != std::string_view::npos) return refuse(text, "a step needs a range");
      if (last < first) return refuse(text, "a range goes upwards");
    }
    for (unsigned each = first; each <= last; each += step) set(each);
    return true;
  }
  static bool number(std::string_view text, unsigned& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
  }
  bool value(std::string_view text, unsigned& out) const {
    if (number(text, out)) return out >= kind_.least && out <= kind_.most;
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto at = std::ranges::find(kind_.names, lower);
    out = kind_.least + static_cast<unsigned>(at - kind_.names.begin());
    return at != kind_.names.end();
  }
  bool refuse(std::string_view text, std::string_view why) {
    message_ = "the " + std::string(kind_.name) + " \"" + std::string(text) + "\" of the cron expression: ";
    message_ += why.empty() ? "numbers from " + std::to_string(kind_.least) + " to " + std::to_string(kind_.most) +
                                  ", *, ranges and steps are taken"
                            : std::string(why);
    return false;
  }

  const FieldKind& kind_;
  std::string& message_;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::optional<CronFields> CronFields::read(std::string_view text, std::string& message) {
  constexpr FieldKind kMinute{"minute", 0, 59}, kHour{"hour", 0, 23}, kDay{"day of the month", 1, 31};
  constexpr FieldKind kMonth{"month", 1, 12, kMonths}, kWeekday{"day of the week", 0, 7, kWeekdays};
  for (const auto& [name, fields] : kNicknames) {
    if (text == name) text = fields;
  }
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 5) {
    message = "a cron expression has 5 fields: minute, hour, day of the month, month, day of the week; found " +
              std::to_string(words.size()) + " in \"" + std::string(text) + '"';
    return std::nullopt;
  }
  CronFields out;
  const bool is_good =
      FieldReader(kMinute, message).read(words[0], [&](unsigned n) { out.minutes_.set(n); }) &&
      FieldReader(kHour, message).read(words[1], [&](unsigned n) { out.hours_.set(n); }) &&
      FieldReader(kDay, message).read(words[2], [&](unsigned n) { out.days_.set(n); }) &&
      FieldReader(kMonth, message).read(words[3], [&](unsigned n) { out.months_.set(n); }) &&
      FieldReader(kWeekday, message).read(words[4], [&](unsigned n) { out.weekdays_.set(n % 7); });
  if (!is_good) return std::nullopt;
  out.is_every_hour_ = words[1].starts_with('*');
  out.is_every_day_ = words[2].starts_with('*');
  out.is_every_weekday_ = words[4].starts_with('*');
  return out;
}

bool CronFields::has_day(unsigned month, unsigned day, unsigned weekday) const {
  if (!months_[month]) return false;
  const bool is_either = !is_every_day_ && !is_every_weekday_;
  return is_either ? days_[day] || weekdays_[weekday] : days_[day] && weekdays_[weekday];
}

}  // namespace ptcvm::drivers
