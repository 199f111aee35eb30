// Turns arithmetic results into values or faults, for the numeric builtins.
#pragma once
#include "vm/builtins/call.h"
#include "vm/value/numeric.h"

namespace ptc {

// Returns false after parking the fault that argument i (from 0) is not a number.
[[nodiscard]] inline bool require_number(Call& call, std::uint32_t i) {
  if (call.arg(i).is_number()) return true;
  call.type_error(i + 1, "number");
  return false;
}
[[nodiscard]] bool require_numbers(Call& call);  // checks all arguments

// Returns the value, or Absent after parking the fault. The operands are known to be numbers.
Value number_or_fault(Call& call, NumericResult result);

// Turns a parked type_error into the java_type_error of interop members, unless the error names await.
Value as_java_fault(Call& call, Value result);
Value java_type_error(Call& call, std::uint32_t arg_number, std::string_view expected);
Value java_domain_error(Call& call, std::string message);  // the message is "name: message"

// Computes Math.pow of Java, which is pow of C, except that NaN and infinite exponents of 1 and -1 give NaN.
double java_pow(double base, double exponent);

}  // namespace ptc
