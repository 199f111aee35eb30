// Math/… and the constants of Double. Kinds of results are Java's: ceil and floor give floats, round an
// integer.
#include <cmath>
#include <limits>
#include <numbers>

#include "vm/builtins/number_call.h"

namespace ptc {

namespace {

using Function = double (*)(double);

Value apply(Call& call, Function function) {
  if (!require_number(call, 0)) return as_java_fault(call, Value::absent());
  return Value::real(function(num_to_double(call.arg(0))));
}

// Java tells 0.0 from -0.0 here, which the language's own max and min do not.
Value java_extreme(Call& call, bool greatest) {
  const Value best = greatest ? builtin_max(call) : builtin_min(call);
  if (!best.is_float() || best.d != 0.0) return as_java_fault(call, best);
  for (const Value v : call.args()) {
    if (v.is_float() && v.d == 0.0 && std::signbit(v.d) != greatest) return v;
  }
  return best;
}

double signum(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

// Half up, in full precision; NaN is 0 and what does not fit is the nearest 64-bit integer.
std::int64_t round_half_up(double x) {
  constexpr double kLimit = 9223372036854775808.0;
  if (std::isnan(x)) return 0;
  if (x >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (x < -kLimit) return std::numeric_limits<std::int64_t>::min();
  const double below = std::floor(x);
  return static_cast<std::int64_t>(x - below >= 0.5 ? below + 1.0 : below);
}

}  // namespace

Value builtin_Math_abs(Call& call) { return as_java_fault(call, builtin_abs(call)); }
Value builtin_Math_ceil(Call& call) {
  return apply(call, [](double x) { return std::ceil(x); });
}
Value builtin_Math_floor(Call& call) {
  return apply(call, [](double x) { return std::floor(x); });
}

Value builtin_Math_round(Call& call) {
  if (!require_number(call, 0)) return as_java_fault(call, Value::absent());
  const Value v = call.arg(0);
  return v.is_float() ? Value::integer(round_half_up(v.d)) : retained(v);
}

Value builtin_Math_max(Call& call) { return java_extreme(call, true); }
Value builtin_Math_min(Call& call) { return java_extreme(call, false); }
Value builtin_Math_pow(Call& call) { return as_java_fault(call, builtin_pow(call)); }

Value builtin_Math_sqrt(Call& call) {
  return apply(call, [](double x) { return std::sqrt(x); });
}
Value builtin_Math_sin(Call& call) {
  return apply(call, [](double x) { return std::sin(x); });
}
Value builtin_Math_cos(Call& call) {
  return apply(call, [](double x) { return std::cos(x); });
}
Value builtin_Math_tan(Call& call) {
  return apply(call, [](double x) { return std::tan(x); });
}
Value builtin_Math_log(Call& call) {
  return apply(call, [](double x) { return std::log(x); });
}
Value builtin_Math_log10(Call& call) {
  return apply(call, [](double x) { return std::log10(x); });
}
Value builtin_Math_exp(Call& call) {
  return apply(call, [](double x) { return std::exp(x); });
}
Value builtin_Math_signum(Call& call) { return apply(call, signum); }
Value builtin_Math_cbrt(Call& call) {
  return apply(call, [](double x) { return std::cbrt(x); });
}

Value builtin_Math_hypot(Call& call) {
  if (!require_numbers(call)) return as_java_fault(call, Value::absent());
  return Value::real(std::hypot(num_to_double(call.arg(0)), num_to_double(call.arg(1))));
}

Value builtin_Math_PI(Call&) { return Value::real(std::numbers::pi); }
Value builtin_Math_E(Call&) { return Value::real(std::numbers::e); }
Value builtin_Double_POSITIVE_INFINITY(Call&) { return Value::real(std::numeric_limits<double>::infinity()); }
Value builtin_Double_NEGATIVE_INFINITY(Call&) {
  return Value::real(-std::numeric_limits<double>::infinity());
}
Value builtin_Double_NaN(Call&) { return Value::real(std::numeric_limits<double>::quiet_NaN()); }

}  // namespace ptc
