// The grammar is checked here; std::from_chars does the arithmetic. from_chars says "out of range" for both
// ends, so whether a number overflowed is told by the place of its first non-zero digit.
#include "vm/builtins/java_number.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "schema/ascii.h"
#include "vm/value/account.h"

namespace ptc {

namespace {

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= 0x20) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.remove_suffix(1);
  return text;
}

// What is between the sign and the suffix of a number.
struct Digits {
  bool hex = false;
  std::string_view text;     // as from_chars wants it: no 0x
  std::int64_t leading = 0;  // digits before the point up to the first non-zero one, negative: zeros after it
  bool zero = true;
  std::int64_t exponent = 0;
};

// Consumes a number; false when there is none.
bool scan(std::string_view& text, Digits& out) {
  out.hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (out.hex) text.remove_prefix(2);
  std::size_t i = 0;
  std::size_t digits = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!(out.hex ? is_hex_digit(c) : is_digit(c))) break;
    ++digits;
    if (c != '0') out.zero = false;
    if (!point && !out.zero) ++out.leading;
    if (point && out.zero) --out.leading;
  }
  if (digits == 0) return false;
  const bool marked =
      i < text.size() && (out.hex ? text[i] == 'p' || text[i] == 'P' : text[i] == 'e' || text[i] == 'E');
  if (out.hex && !marked) return false;
  if (marked) {
    ++i;
    const bool negative = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i == begin) return false;
    const auto read = std::from_chars(text.data() + begin, text.data() + i, out.exponent);
    constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
    if (read.ec != std::errc() || out.exponent > kFar) out.exponent = kFar;
    if (negative) out.exponent = -out.exponent;
  }
  out.text = text.substr(0, i);
  text.remove_prefix(i);
  return true;
}

template <class Real>
double convert(const Digits& digits) {
  if (digits.zero) return 0.0;
  const auto format = digits.hex ? std::chars_format::hex : std::chars_format::general;
  Real x = 0;
  const auto read = std::from_chars(digits.text.data(), digits.text.data() + digits.text.size(), x, format);
  if (read.ec != std::errc::result_out_of_range) return static_cast<double>(x);
  const std::int64_t magnitude = digits.leading * (digits.hex ? 4 : 1) + digits.exponent;
  return magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

template <class Real>
std::optional<double> parse_real(std::string_view text) {
  charge_text(text.size());
  text = trimmed(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  double x = 0;
  if (text == "NaN") {
    x = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity") {
    x = std::numeric_limits<double>::infinity();
  } else {
    Digits digits;
    if (!scan(text, digits)) return std::nullopt;
    const bool suffix = text.size() == 1 && std::string_view("fFdD").find(text[0]) != std::string_view::npos;
    if (!text.empty() && !suffix) return std::nullopt;
    x = convert<Real>(digits);
  }
  return negative ? -x : x;
}

// The value of a decimal digit of any script, or -1. Unicode keeps the ten digits of a script together and in
// order, so the distance from the start of their run tells the value.
int digit_value(utf8proc_int32_t code) {
  if (utf8proc_category(code) != UTF8PROC_CATEGORY_ND) return -1;
  utf8proc_int32_t first = code;
  while (first > 0 && utf8proc_category(first - 1) == UTF8PROC_CATEGORY_ND) --first;
  return static_cast<int>((code - first) % 10);
}

}  // namespace

std::optional<double> parse_java_double(std::string_view text) { return parse_real<double>(text); }
std::optional<double> parse_java_float(std::string_view text) { return parse_real<float>(text); }

std::optional<std::int64_t> parse_java_integer(std::string_view text, std::int64_t min, std::int64_t max) {
  charge_text(text.size());
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t n = 0;  // counted downwards: the least integer has no positive twin
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code);
    const int digit = size > 0 ? digit_value(code) : -1;
    if (digit < 0 || __builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, digit, &n))
      return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  if (!negative) {
    if (n == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    n = -n;
  }
  if (n < min || n > max) return std::nullopt;
  return n;
}

}  // namespace ptc
