#include "tools/ptcvm/text/time_spans.h"

#include <array>
#include <charconv>

#include "vm/value/calendar.h"

namespace ptcvm::cli {
namespace {

struct SpanUnit {
  std::string_view name;
  std::int64_t millis;
};
constexpr std::array<SpanUnit, 5> kUnits{
    {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
constexpr std::int64_t kMostSpanMillis = std::int64_t{3653} * 86'400'000;

std::optional<std::int64_t> whole_number(std::string_view text, std::string_view& rest) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || end == text.data()) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<std::chrono::milliseconds> read_span(std::string_view text) {
  std::string_view unit;
  const auto number = whole_number(text, unit);
  if (!number) return std::nullopt;
  if (*number == 0 && unit.empty()) return std::chrono::milliseconds(0);
  for (const SpanUnit& known : kUnits) {
    if (known.name != unit) continue;
    if (*number > kMostSpanMillis / known.millis) return std::nullopt;
    return std::chrono::milliseconds(*number * known.millis);
  }
  return std::nullopt;
}

std::optional<std::int64_t> read_moment(std::string_view text) {
  std::string_view rest;
  if (const auto number = whole_number(text, rest); number && rest.empty()) return *number;
  const auto at = ptc::parse_instant(text, ptc::InstantSyntax::Lenient);
  if (!at || at->seconds < 0 || at->seconds > INT64_MAX / 1'000 - 1) return std::nullopt;
  return at->seconds * 1'000 + at->nanos / 1'000'000;
}

CLI::Option* add_span(CLI::App& command, const std::string& name, std::chrono::milliseconds& span,
                      const std::string& help) {
  return command
      .add_option_function<std::string>(
          name,
          [&span, name](const std::string& text) {
            const auto read = read_span(text);
            if (!read) {
              throw CLI::ValidationError(name, "must be a span with its unit, like 250ms, 15s, 5m, 2h or 30d; found " +
                                                   text);
            }
            span = *read;
          },
          help)
      ->type_name("SPAN");
}

CLI::Option* add_moment(CLI::App& command, const std::string& name, std::int64_t& moment, const std::string& help) {
  return command
      .add_option_function<std::string>(
          name,
          [&moment, name](const std::string& text) {
            const auto read = read_moment(text);
            if (!read) {
              throw CLI::ValidationError(name, "must be a moment like 2026-12-01T08:00:00Z, or milliseconds since "
                                               "1970; found " + text);
            }
            moment = *read;
          },
          help)
      ->type_name("MOMENT");
}

}  // namespace ptcvm::cli
