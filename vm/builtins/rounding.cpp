// Conversions between the numeric kinds, roots and powers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "vm/builtins/format_spec.h"
#include "vm/builtins/number_call.h"
#include "vm/builtins/seqable.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

using Rounding = NumericResult (*)(Heap&, Value);

// Infinities and NaN have no integer value and stay as they are.
Value rounded(Call& call, Rounding operation) {
  if (!require_number(call, 0)) return Value::absent();
  const NumericResult result = operation(call.heap, call.arg(0));
  return result.error == NumericError::NoInteger ? call.arg(0) : number_or_fault(call, result);
}

// The code point of a string that is exactly one, or -1.
std::int64_t single_code_point(std::string_view text) {
  if (text.empty()) return -1;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() != size) return -1;
  if (size == 1) return lead;
  std::int64_t code = lead & (0x7fU >> size);
  for (const char c : text.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return code;
}

// Rounds a whole number in decimal digits to a multiple of ten to the `zeros`, halves up.
std::string rounded_digits(std::string digits, std::uint64_t zeros) {
  if (zeros > digits.size()) return "0";
  digits.insert(digits.begin(), '0');
  std::size_t at = digits.size() - static_cast<std::size_t>(zeros);
  const bool is_up = digits[at] >= '5';
  std::fill(digits.begin() + static_cast<std::ptrdiff_t>(at), digits.end(), '0');
  while (is_up && digits[--at] == '9') digits[at] = '0';
  if (is_up) ++digits[at];
  return digits;
}

Value integer_to_places(Call& call, std::uint64_t zeros) {
  std::string digits;
  append_integer(digits, call.arg(0));
  call.charge(digits.size() / 16);
  const bool negative = digits.front() == '-';
  if (negative) digits.erase(digits.begin());
  digits = rounded_digits(std::move(digits), zeros);
  if (negative) digits.insert(digits.begin(), '-');
  const Value made = integer_from_decimal(call.heap, digits, call.env.limits.integer_bits);
  return made.is_absent() ? number_or_fault(call, {Value::absent(), NumericError::TooWide}) : made;
}

// Halves are decided by the exact binary value, as format and --float-precision decide them.
Value float_to_places(double x, std::int64_t places) {
  if (!std::isfinite(x) || (places >= 0 && x == std::trunc(x))) return Value::real(x);
  constexpr std::int64_t kMostDecimals = 1100;   // no double has more
  const double magnitude = std::fabs(x);
  const std::string digits =
      places >= 0 ? fixed_digits(magnitude, static_cast<std::uint32_t>(std::min(places, kMostDecimals)))
                  : rounded_digits(fixed_digits(std::trunc(magnitude), 0), 0 - static_cast<std::uint64_t>(places));
  double rounded = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
  return Value::real(std::copysign(rounded, x));
}

Value rounded_to_places(Call& call) {
  std::int64_t places = 0;
  if (!require_number(call, 0) || !position_argument(call, 1, places)) return Value::absent();
  if (call.arg(0).is_float()) return float_to_places(call.arg(0).d, places);
  return places >= 0 ? call.take(0) : integer_to_places(call, 0 - static_cast<std::uint64_t>(places));
}

Value to_double(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  return Value::real(num_to_double(call.arg(0)));
}

}  // namespace

Value builtin_floor(Call& call) { return rounded(call, num_floor); }
Value builtin_ceil(Call& call) { return rounded(call, num_ceil); }
Value builtin_round(Call& call) {
  return call.count() == 2 ? rounded_to_places(call) : rounded(call, num_round);
}
Value builtin_trunc(Call& call) { return rounded(call, num_trunc); }

Value builtin_double_(Call& call) { return to_double(call); }
Value builtin_float_(Call& call) { return to_double(call); }

Value builtin_int_(Call& call) {
  const Value v = call.arg(0);
  if (v.is_string()) {
    const std::int64_t code = single_code_point(string_view_of(v));
    return code >= 0 ? Value::integer(code) : call.type_error(1, "number or one character");
  }
  if (!require_number(call, 0)) return Value::absent();
  if (v.is_float() && std::isnan(v.d)) return Value::integer(0);
  if (v.is_float() && std::isinf(v.d)) {
    return call.fail(FaultKind::ArithmeticError, "int: cannot convert Infinity to integer");
  }
  return number_or_fault(call, num_trunc(call.heap, v));
}

Value builtin_sqrt(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  return Value::real(std::sqrt(num_to_double(call.arg(0))));
}

Value builtin_pow(Call& call) {
  if (!require_numbers(call)) return Value::absent();
  return Value::real(java_pow(num_to_double(call.arg(0)), num_to_double(call.arg(1))));
}

}  // namespace ptc
