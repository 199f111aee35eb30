// Character classes, UTF-8 and number literals. See tokens.h.
#include "compiler/read/tokens.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "schema/ascii.h"

namespace ptc {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t count_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

// Whether a decimal that from_chars found out of range is too large, rather than too small.
bool overflows(std::string_view mantissa, std::string_view exponent) {
  std::int64_t exponent_value = 0;
  bool negative = false;
  for (const char c : exponent) {
    if (c == '-') negative = true;
    if (is_digit(c) && exponent_value < 1'000'000'000'000) exponent_value = exponent_value * 10 + (c - '0');
  }
  const std::size_t dot = mantissa.find('.');
  const std::size_t whole = dot == std::string_view::npos ? mantissa.size() : dot;
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto magnitude = first < whole ? static_cast<std::int64_t>(whole - first)
                                       : -static_cast<std::int64_t>(first - whole);
  return magnitude + (negative ? -exponent_value : exponent_value) > 0;
}

NumberToken parse_float(std::string_view token, std::string_view mantissa, std::string_view exponent) {
  NumberToken result{NumberToken::Kind::Float, {}, 0};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), result.real);
  if (error == std::errc::result_out_of_range) {
    result.real = overflows(mantissa, exponent) ? std::numeric_limits<double>::infinity() : 0.0;
    if (token.front() == '-') result.real = -result.real;
  }
  return result;
}

}  // namespace

bool at_delimiter(std::string_view rest) {
  if (rest.empty() || blank_length(rest) > 0) return true;
  return std::string_view("()[]{}\"#;").find(rest[0]) != std::string_view::npos;
}

std::size_t run_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && !at_delimiter(text.substr(n))) ++n;
  return n;
}

bool is_symbol_start(char c) {
  return is_letter(c) || (c != '\0' && std::string_view("+-*/<>=?!_%.&").find(c) != std::string_view::npos);
}
bool is_symbol_part(char c) { return is_symbol_start(c) || is_digit(c) || c == '\''; }
bool is_keyword_part(char c) {
  return is_letter(c) || is_digit(c) ||
         (c != '\0' && std::string_view("+-*<>=?!_").find(c) != std::string_view::npos);
}

NumberToken parse_number(std::string_view token) {
  const NumberToken malformed{NumberToken::Kind::Malformed, {}, 0};
  const bool negative = !token.empty() && token[0] == '-';
  std::string_view rest = token.substr(negative ? 1 : 0);
  const std::string_view body = rest;
  const std::size_t whole = count_digits(rest);
  if (whole == 0) return malformed;
  rest.remove_prefix(whole);
  if (rest.empty()) {
    std::string_view digits = body;
    while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
    if (digits.size() > kMaxIntegerDigits) return {NumberToken::Kind::TooLong, {}, 0};
    return {NumberToken::Kind::Int, (negative && digits != "0" ? "-" : "") + std::string(digits), 0};
  }
  if (rest[0] == '.') {
    rest.remove_prefix(1);
    const std::size_t fraction = count_digits(rest);
    if (fraction == 0) return malformed;
    rest.remove_prefix(fraction);
  }
  const std::string_view mantissa = body.substr(0, body.size() - rest.size());
  const std::string_view exponent = rest;
  if (!rest.empty()) {
    if (rest[0] != 'e' && rest[0] != 'E') return malformed;
    rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) rest.remove_prefix(1);
    if (rest.empty() || count_digits(rest) != rest.size()) return malformed;
  }
  return parse_float(token, mantissa, exponent);
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::string_view clip_utf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::size_t find_malformed_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return i;
    char32_t c = lead & (0xffu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xc0) != 0x80) return i;
      c = c << 6 | (byte & 0x3fu);
    }
    const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
    if (overlong || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace ptc
