// Numbers and their decimal text. No locale takes part: std::to_chars and std::from_chars only.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "schema/ascii.h"
#include "vm/value/bigint.h"
#include "vm/value/numeric.h"

namespace ptc {

namespace {

// The shortest digits that read back as x, and where the point goes: 0.d1d2d3… * 10^point.
struct ShortestDigits {
  std::array<char, 32> digits{};
  std::size_t count = 0;
  int point = 0;
  std::string_view view() const { return {digits.data(), count}; }
};

ShortestDigits shortest_digits(double positive) {
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), positive, std::chars_format::scientific).ptr;
  ShortestDigits result;
  const char* at = text.data();
  for (; at != end && *at != 'e'; ++at) {
    if (is_digit(*at)) result.digits[result.count++] = *at;
  }
  int exponent = 0;
  if (at != end) {
    ++at;
    if (at != end && *at == '+') ++at;
    std::from_chars(at, end, exponent);
  }
  result.point = exponent + 1;
  while (result.count > 1 && result.digits[result.count - 1] == '0') --result.count;
  return result;
}

std::string scientific_text(const ShortestDigits& d) {
  std::string text(1, d.digits[0]);
  text += '.';
  text += d.count > 1 ? d.view().substr(1) : std::string_view("0");
  text += 'e';
  text += std::to_string(d.point - 1);
  return text;
}

std::string fixed_text(const ShortestDigits& d) {
  if (d.point <= 0)
    return "0." + std::string(static_cast<std::size_t>(-d.point), '0') + std::string(d.view());
  const auto whole = static_cast<std::size_t>(d.point);
  if (d.count <= whole) return std::string(d.view()) + std::string(whole - d.count, '0') + ".0";
  return std::string(d.view().substr(0, whole)) + '.' + std::string(d.view().substr(whole));
}

// Length of `digits [. digits] [e [sign] digits]` at the start of text, 0 when it is not one.
std::size_t scan_decimal(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > begin;
  };
  if (!digits()) return 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return 0;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return 0;
  }
  return i;
}

// from_chars says "out of range" for both ends; the place of the first non-zero digit tells which.
bool overflows(std::string_view decimal) {
  std::int64_t magnitude = 0;
  bool point = false;
  bool leading = true;
  std::size_t i = 0;
  for (; i < decimal.size() && decimal[i] != 'e' && decimal[i] != 'E'; ++i) {
    if (decimal[i] == '.') {
      point = true;
      continue;
    }
    if (decimal[i] != '0') leading = false;
    if (!point && !leading) ++magnitude;
    if (point && leading) --magnitude;
  }
  if (leading) return false;
  std::int64_t exponent = 0;
  if (i < decimal.size()) {
    ++i;
    const bool negative = decimal[i] == '-';
    if (decimal[i] == '-' || decimal[i] == '+') ++i;
    const auto read = std::from_chars(decimal.data() + i, decimal.data() + decimal.size(), exponent);
    if (read.ec != std::errc()) exponent = std::numeric_limits<std::int32_t>::max();
    exponent = std::min<std::int64_t>(exponent, std::numeric_limits<std::int32_t>::max());
    if (negative) exponent = -exponent;
  }
  return magnitude + exponent > 0;
}

}  // namespace

Value integer_from_decimal(Heap& heap, std::string_view text, std::uint32_t max_bits) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return Value::absent();
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  if (text.size() <= 18) {
    std::int64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return Value::integer(negative ? -n : n);
  }
  // n digits need more than 3.32 * (n - 1) bits.
  const std::uint64_t least_bits = (text.size() - 1) * 3321 / 1000;
  if (least_bits > max_bits) return Value::absent();
  const Value result = integer_from_digits(heap, negative, text);
  if (integer_bits(result) > max_bits) {
    heap.release(result);
    return Value::absent();
  }
  return result;
}

void append_integer(std::string& out, Value integer) {
  if (!integer.is_int()) {
    append_big(out, integer);
    return;
  }
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), integer.i).ptr;
  out.append(text.data(), end);
}

void append_float(std::string& out, double x, bool readable) {
  if (std::isnan(x)) {
    out += readable ? "##NaN" : "NaN";
    return;
  }
  if (std::isinf(x)) {
    if (readable) out += x < 0 ? "##-Inf" : "##Inf";
    if (!readable) out += x < 0 ? "-Infinity" : "Infinity";
    return;
  }
  if (std::signbit(x)) out += '-';
  const double magnitude = std::fabs(x);
  if (magnitude == 0.0) {
    out += "0.0";
    return;
  }
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  const ShortestDigits digits = shortest_digits(magnitude);
  if (magnitude >= kExactIntegers) {
    out += scientific_text(digits);
  } else if (magnitude >= 1.0) {
    out += fixed_text(digits);
  } else {
    const std::string scientific = scientific_text(digits);
    const auto zeros = static_cast<std::size_t>(-digits.point);
    out += scientific.size() < digits.count + 2 + zeros ? scientific : fixed_text(digits);
  }
}

std::optional<double> parse_double(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || scan_decimal(text) != text.size()) return std::nullopt;
  double x = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), x);
  if (read.ec == std::errc::result_out_of_range) {
    x = overflows(text) ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return negative ? -x : x;
}

}  // namespace ptc
