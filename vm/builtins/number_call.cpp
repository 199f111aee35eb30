// Faults of arithmetic, in one place so that every numeric builtin words them alike.
#include "vm/builtins/number_call.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptc {

bool require_numbers(Call& call) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (!require_number(call, i)) return false;
  }
  return true;
}

Value number_or_fault(Call& call, NumericResult result) {
  const std::string name(call.name());
  switch (result.error) {
    case NumericError::None: return result.value;
    case NumericError::NotANumber:
      return call.fail(FaultKind::TypeError, name + ": expected number arguments");
    case NumericError::DivisionByZero:
      return call.fail(FaultKind::ArithmeticError, name + ": division by zero");
    case NumericError::NoInteger:
      return call.fail(FaultKind::ArithmeticError, name + ": the result has no integer value");
    case NumericError::TooWide:
      return call.fail(
          FaultKind::IntegerLimitExceeded,
          name + ": integer wider than " + std::to_string(call.env.limits.integer_bits) + " bits");
  }
  return Value::absent();
}

Value as_java_fault(Call& call, Value result) {
  if (!result.is_absent() || call.env.fault.kind != FaultKind::TypeError) return result;
  const auto args = call.args();
  const bool pending = std::any_of(args.begin(), args.end(), [](Value v) { return v.is(Tag::Pending); });
  if (!pending) call.env.fault.kind = FaultKind::JavaTypeError;
  return result;
}

Value java_type_error(Call& call, std::uint32_t arg_number, std::string_view expected) {
  return as_java_fault(call, call.type_error(arg_number, expected));
}

Value java_domain_error(Call& call, std::string message) {
  return call.fail(FaultKind::JavaDomainError, std::string(call.name()) + ": " + std::move(message));
}

double java_pow(double base, double exponent) {
  const bool unit = std::fabs(base) == 1.0;
  if (unit && (std::isinf(exponent) || std::isnan(exponent))) return std::numeric_limits<double>::quiet_NaN();
  return std::pow(base, exponent);
}

}  // namespace ptc
