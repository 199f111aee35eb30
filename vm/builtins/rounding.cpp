// Conversions between the numeric kinds, roots and powers.
#include <cmath>

#include "vm/builtins/number_call.h"
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

Value to_double(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  return Value::real(num_to_double(call.arg(0)));
}

}  // namespace

Value builtin_floor(Call& call) { return rounded(call, num_floor); }
Value builtin_ceil(Call& call) { return rounded(call, num_ceil); }
Value builtin_round(Call& call) { return rounded(call, num_round); }
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
