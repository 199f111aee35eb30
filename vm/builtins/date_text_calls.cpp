// Makes dates and instants from texts and numbers, and texts from dates and instants.
#include "vm/builtins/date_pattern.h"
#include "vm/builtins/java_call.h"
#include "vm/builtins/number_call.h"
#include "vm/builtins/text.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// Reads argument i as a pattern. Returns false after parking a fault.
bool pattern_argument(Call& call, std::uint32_t i, bool has_time, std::string_view& pattern) {
  if (!java_string(call, i, pattern)) return false;
  charge_bytes(call, pattern.size());
  std::string problem = check_date_pattern(pattern, has_time);
  if (problem.empty()) return true;
  java_domain_error(call, std::move(problem));
  return false;
}

// Reads argument 0 by the pattern in argument 1. Returns nullopt after parking a fault.
std::optional<Moment> moment_by_pattern(Call& call, bool has_time) {
  std::string_view text, pattern;
  if (!java_string(call, 0, text) || !pattern_argument(call, 1, has_time, pattern)) return std::nullopt;
  charge_bytes(call, text.size());
  const auto moment = read_by_pattern(text, pattern);
  if (!moment) java_domain_error(call, "the text " + shown(text) + " does not fit the pattern " + shown(pattern));
  return moment;
}

// Z or an offset such as +02:00, as seconds east of Greenwich.
bool offset_argument(Call& call, std::uint32_t i, std::int64_t& seconds) {
  std::string_view text;
  if (!java_string(call, i, text)) return false;
  const auto at = parse_instant("1970-01-02T00:00:00" + std::string(text.substr(0, 10)));
  if (at && text.size() <= 9) {
    seconds = kSecondsPerDay - at->seconds;
    return true;
  }
  java_domain_error(call, "expected an offset such as \"Z\" or \"+02:00\", got " + shown(text));
  return false;
}

}  // namespace

Value builtin_LocalDate_parse(Call& call) {
  if (call.count() == 2) {
    const auto moment = moment_by_pattern(call, false);
    return moment ? Value::date(moment->day) : Value::absent();
  }
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  const auto day = parse_date(text);
  if (!day) return java_domain_error(call, "invalid date " + shown(text));
  return Value::date(*day);
}

Value builtin_Instant_parse(Call& call) {
  if (call.count() == 2) {
    const auto moment = moment_by_pattern(call, true);
    return moment ? moment_value(call, Value::nil(), *moment) : Value::absent();
  }
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  const auto at = parse_instant(text);
  if (!at) return java_domain_error(call, "invalid instant " + shown(text));
  return instant_of(call.heap, *at);
}

// (%instant text) is #inst: it also takes a date alone, as readers of EDN do.
Value builtin_h_instant(Call& call) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  const auto at = parse_instant(text, InstantSyntax::Lenient);
  if (!at) return java_domain_error(call, "invalid instant " + shown(text));
  return instant_of(call.heap, *at);
}

Value builtin_LocalDate_ofEpochDay(Call& call) {
  std::int64_t day = 0;
  if (!java_long(call, 0, day)) return Value::absent();
  return day >= kMinEpochDay && day <= kMaxEpochDay ? Value::date(day) : out_of_range(call);
}

Value builtin_LocalDate_ofInstant(Call& call) {
  if (!is_true_instant(call.arg(0))) return java_type_error(call, 1, "instant");
  std::int64_t offset = 0;
  if (call.count() == 2 && !offset_argument(call, 1, offset)) return Value::absent();
  Moment moment = moment_of(call.arg(0));
  const std::int64_t second = moment.second + offset;
  if (second < 0) --moment.day;
  if (second >= kSecondsPerDay) ++moment.day;
  return moment.day >= kMinEpochDay && moment.day <= kMaxEpochDay ? Value::date(moment.day) : out_of_range(call);
}

Value builtin_Instant_ofEpochMilli(Call& call) {
  std::int64_t millis = 0;
  if (!java_long(call, 0, millis)) return Value::absent();
  const std::int64_t seconds = millis / 1'000 - (millis % 1'000 < 0 ? 1 : 0);
  return seconds_value(call, Value::nil(), {seconds, static_cast<std::uint32_t>(millis - seconds * 1'000) * 1'000'000});
}

Value builtin_Instant_ofEpochSecond(Call& call) {
  std::int64_t seconds = 0;
  if (!java_long(call, 0, seconds)) return Value::absent();
  return seconds_value(call, Value::nil(), {seconds, 0});
}

Value builtin_ZoneOffset_UTC(Call& call) { return string_of(call.heap, "Z"); }

Value builtin_DateTimeFormatter_ofPattern(Call& call) {
  std::string_view pattern;
  if (!pattern_argument(call, 0, true, pattern)) return Value::absent();
  return call.take(0);
}

Value builtin_dot_format(Call& call) {
  Moment moment{};
  std::string_view pattern;
  if (!moment_argument(call, 0, moment) || !pattern_argument(call, 1, !call.arg(0).is(Tag::Date), pattern)) {
    return Value::absent();
  }
  std::string text;
  append_by_pattern(text, pattern, moment);
  return text_result(call, text);
}

}  // namespace ptc
