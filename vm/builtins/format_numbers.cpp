// Numbers for format. Independent of locale; exact for integers of any size.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "schema/ascii.h"
#include "vm/builtins/format_spec.h"
#include "vm/value/numeric.h"
#include "vm/value/object.h"

namespace ptc {
namespace {

constexpr std::uint32_t kDefaultDecimals = 6;
constexpr std::uint32_t kMaxBinaryDecimals = 1074;   // no double has more

std::string with_commas(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// Sign and grouping for a number written as digits[.decimals].
std::string dressed(const FormatSpec& spec, bool negative, std::string_view digits) {
  std::string out = negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
  if (!spec.grouped) return out.append(digits);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return out.append(with_commas(digits.substr(0, point))).append(digits.substr(point));
}

std::string special_or_empty(const FormatSpec& spec, double x) {
  if (std::isnan(x)) return "NaN";
  if (!std::isinf(x)) return {};
  if (x < 0) return "-Infinity";
  return spec.plus ? "+Infinity" : "Infinity";
}

std::string to_fixed(double magnitude, std::uint32_t decimals) {
  std::string digits(330 + decimals, '\0');
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude, std::chars_format::fixed,
                                 static_cast<int>(decimals));
  digits.resize(static_cast<std::size_t>(end.ptr - digits.data()));
  return digits;
}

void increment(std::string& digits) {
  for (std::size_t i = digits.size(); i > 0;) {
    char& c = digits[--i];
    if (c == '.') continue;
    if (c != '9') {
      ++c;
      return;
    }
    c = '0';
  }
  digits.insert(digits.begin(), '1');
}

}  // namespace

// x has at most n decimals exactly when x * 2^n is an integer. Only a value with decimals + 1 of them can be a half,
// and it is written out exactly, so the half can be seen.
std::string fixed_digits(double magnitude, std::uint32_t decimals) {
  const std::uint32_t exact = std::min(decimals, kMaxBinaryDecimals);
  const double scaled = exact < kMaxBinaryDecimals ? std::ldexp(magnitude, static_cast<int>(exact) + 1) : 0.5;
  std::string digits;
  if (std::isfinite(scaled) && scaled == std::floor(scaled)) {
    digits = to_fixed(magnitude, exact + 1);
    const bool half = digits.back() == '5';
    digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
    if (half) increment(digits);
  } else {
    digits = to_fixed(magnitude, exact);
  }
  digits.append(decimals - exact, '0');
  return digits;
}

std::string format_integer(const FormatSpec& spec, Value integer) {
  std::string digits;
  append_integer(digits, integer);
  const bool negative = digits.front() == '-';
  return dressed(spec, negative, std::string_view(digits).substr(negative ? 1 : 0));
}

std::string format_radix(const FormatSpec& spec, Value integer, unsigned bits_per_digit) {
  std::uint64_t small = 0;
  const std::uint64_t* limbs = &small;
  std::uint32_t limb_count = 1;
  bool negative = false;
  if (integer.is_int()) {
    negative = integer.i < 0;
    small = negative ? 0 - static_cast<std::uint64_t>(integer.i) : static_cast<std::uint64_t>(integer.i);
  } else {
    const BigInt* big = static_cast<const BigInt*>(integer.object);
    negative = (big->flags & BigInt::kNegative) != 0;
    limbs = big->limbs();
    limb_count = big->limb_count;
  }
  const std::uint64_t bit_count = std::uint64_t{limb_count} * 64;
  std::string reversed;
  for (std::uint64_t bit = 0; bit < bit_count; bit += bits_per_digit) {
    unsigned digit = 0;
    for (std::uint64_t i = 0; i < bits_per_digit && bit + i < bit_count; ++i) {
      const std::uint64_t word = limbs[(bit + i) / 64] >> ((bit + i) % 64);
      digit |= static_cast<unsigned>(word & 1u) << i;
    }
    reversed += kHexDigits[digit];
  }
  while (reversed.size() > 1 && reversed.back() == '0') reversed.pop_back();
  std::string digits(reversed.rbegin(), reversed.rend());
  if (spec.alternate) digits.insert(0, bits_per_digit == 4 ? "0x" : "0");
  FormatSpec plain = spec;
  plain.grouped = false;
  return dressed(plain, negative, digits);
}

std::string format_fixed(const FormatSpec& spec, Value number) {
  const std::uint32_t decimals = spec.has_precision ? spec.precision : kDefaultDecimals;
  if (number.is_integer()) {
    std::string digits;
    append_integer(digits, number);
    if (decimals > 0) digits.append(".").append(decimals, '0');
    const bool negative = digits.front() == '-';
    return dressed(spec, negative, std::string_view(digits).substr(negative ? 1 : 0));
  }
  std::string special = special_or_empty(spec, number.d);
  if (!special.empty()) return special;
  return dressed(spec, std::signbit(number.d), fixed_digits(std::fabs(number.d), decimals));
}

std::string format_scientific(const FormatSpec& spec, Value number) {
  const double x = num_to_double(number);
  std::string special = special_or_empty(spec, x);
  if (!special.empty()) return special;
  const std::uint32_t decimals = spec.has_precision ? spec.precision : kDefaultDecimals;
  const std::uint32_t exact = std::min(decimals, kMaxBinaryDecimals);
  std::string digits(exact + 16, '\0');
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::fabs(x),
                                 std::chars_format::scientific, static_cast<int>(exact));
  digits.resize(static_cast<std::size_t>(end.ptr - digits.data()));
  if (decimals > exact) digits.insert(digits.find('e'), decimals - exact, '0');
  FormatSpec plain = spec;
  plain.grouped = false;
  return dressed(plain, std::signbit(x), digits);
}

}  // namespace ptc
