#include "agents/a2a/request_id.h"

#include <array>
#include <boost/json/parse.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace ptcvm::a2a {

namespace json = boost::json;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// A number as its digits without zeros at both ends, and the place of the point behind the first one.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  std::int64_t point = 0;

  bool operator==(const Decimal&) const = default;
};

// Returns nullopt when the exponent is too large for a number that anybody writes.
std::optional<Decimal> decimal_of(std::string_view text) {
  constexpr std::int64_t kMostPlaces = 1'000'000'000;
  Decimal decimal;
  decimal.is_negative = text.starts_with('-');
  std::int64_t shift = 0;
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view places = text.substr(exponent + 1);
    if (places.starts_with('+')) places.remove_prefix(1);
    const auto read = std::from_chars(places.data(), places.data() + places.size(), shift);
    if (read.ec != std::errc{} || std::abs(shift) > kMostPlaces) return std::nullopt;
  }
  const std::string_view mantissa = text.substr(0, exponent);
  for (const char c : mantissa) {
    if (c >= '0' && c <= '9') decimal.digits += c;
  }
  const std::string_view whole = mantissa.substr(0, mantissa.find('.'));
  const std::size_t first = decimal.digits.find_first_not_of('0');
  if (first == std::string::npos) return Decimal{decimal.is_negative, {}, 0};
  const std::size_t whole_digits = whole.size() - (decimal.is_negative ? 1 : 0);
  decimal.point = static_cast<std::int64_t>(whole_digits) - static_cast<std::int64_t>(first) + shift;
  decimal.digits.erase(0, first);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return decimal;
}

// Returns the whole number that the text is, when a float has exactly that one.
std::optional<json::value> whole_number(std::string_view text) {
  constexpr double kMostWhole = 0x1p63;
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  const auto kept = static_cast<double>(number);
  if (kept >= kMostWhole || static_cast<std::int64_t>(kept) != number) return std::nullopt;
  return json::value(number);
}

}  // namespace

std::string_view request_id_text(std::string_view body) {
  int depth = 0;
  for (std::size_t at = 0; at < body.size(); ++at) {
    const char c = body[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t begin = at++;
    while (at < body.size() && body[at] != '"') at += body[at] == '\\' ? 2 : 1;
    const std::size_t colon = body.find_first_not_of(kBlanks, at + 1);
    if (depth != 1 || colon == std::string_view::npos || body[colon] != ':') continue;
    boost::system::error_code error;
    if (json::parse(body.substr(begin, at + 1 - begin), error) != json::value("id")) continue;
    const std::size_t number = body.find_first_not_of(kBlanks, colon + 1);
    if (number == std::string_view::npos) return {};
    return body.substr(number, body.find_first_of(" \t\r\n,}", number) - number);
  }
  return {};
}

std::optional<json::value> kept_number(std::string_view text) {
  if (auto whole = whole_number(text)) return whole;
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || !std::isfinite(number)) return std::nullopt;
  constexpr std::size_t kMostLetters = 32;
  std::array<char, kMostLetters> letters{};
  const auto written = std::to_chars(letters.data(), letters.data() + letters.size(), number);
  const std::string_view shortest(letters.data(), static_cast<std::size_t>(written.ptr - letters.data()));
  const std::optional<Decimal> wanted = decimal_of(text);
  if (!wanted || wanted != decimal_of(shortest)) return std::nullopt;
  return json::value(number);
}

}  // namespace ptcvm::a2a
