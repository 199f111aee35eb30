// What the numeric builtins share: arithmetic results turned into values or faults.
#pragma once
#include "vm/builtins/call.h"
#include "vm/value/numeric.h"

namespace ptc {

// False parked the fault that argument i (0-based) is no number.
[[nodiscard]] inline bool require_number(Call& call, std::uint32_t i) {
  if (call.arg(i).is_number()) return true;
  call.type_error(i + 1, "number");
  return false;
}
[[nodiscard]] bool require_numbers(Call& call);  // all arguments

// The value, or Absent with the fault parked. Operands were checked to be numbers before.
Value number_or_fault(Call& call, NumericResult result);

// Interop members report wrong kinds as java_type_error: turns the parked type_error into one, unless it
// names await.
Value as_java_fault(Call& call, Value result);
Value java_type_error(Call& call, std::uint32_t arg_number, std::string_view expected);
Value java_domain_error(Call& call, std::string message);  // "name: message"

// Math.pow of Java: as C, except that NaN and infinite exponents of 1 and -1 give NaN.
double java_pow(double base, double exponent);

}  // namespace ptc
