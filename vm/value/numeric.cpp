// The numeric tower: inline int64 and double paths; whatever leaves int64 goes to bigint.h.
#include "vm/value/numeric.h"

#include <cmath>
#include <limits>

#include "vm/value/bigint.h"

namespace ptc {

namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

NumericResult done(Value v) { return {v, NumericError::None}; }
NumericResult done(double x) { return {Value::real(x), NumericError::None}; }
NumericResult failed(NumericError error) { return {Value::nil(), error}; }

bool both_numbers(Value a, Value b) { return a.is_number() && b.is_number(); }
bool any_float(Value a, Value b) { return a.is_float() || b.is_float(); }
bool is_zero(Value v) { return v.is_int() ? v.i == 0 : v.is_float() && v.d == 0.0; }
bool is_special(Value v) { return v.is_float() && !std::isfinite(v.d); }

// Does what quot, rem and mod have in common. Returns true when `out` is the answer already.
bool division_settled(Value a, Value b, NumericResult& out) {
  if (!both_numbers(a, b)) {
    out = failed(NumericError::NotANumber);
  } else if (is_special(a) || is_special(b)) {
    out = done(kNaN);
  } else if (is_zero(b)) {
    out = failed(NumericError::DivisionByZero);
  } else {
    return false;
  }
  return true;
}

NumericResult integral(Heap& heap, Value a, double (*rounded)(double)) {
  if (a.is_integer()) return done(retained(a));
  if (!a.is_float()) return failed(NumericError::NotANumber);
  if (!std::isfinite(a.d)) return failed(NumericError::NoInteger);
  return done(integer_from_double(heap, rounded(a.d)));
}

double truncated(double x) { return std::trunc(x); }
double floored(double x) { return std::floor(x); }
double ceiled(double x) { return std::ceil(x); }
double rounded_away(double x) { return std::round(x); }

Ordering ordering_of(int order) { return static_cast<Ordering>(order); }
Ordering reversed(Ordering order) {
  if (order == Ordering::Unordered) return order;
  return static_cast<Ordering>(-static_cast<int>(order));
}

Ordering compare_int_double(std::int64_t a, double b) {
  constexpr double kLimit = 9223372036854775808.0;
  if (b >= kLimit) return Ordering::Less;
  if (b < -kLimit) return Ordering::Greater;
  const double whole = std::trunc(b);
  const auto n = static_cast<std::int64_t>(whole);
  if (a != n) return a < n ? Ordering::Less : Ordering::Greater;
  if (b == whole) return Ordering::Equal;
  return b > whole ? Ordering::Less : Ordering::Greater;
}

Ordering compare_integer_double(Value a, double b) {
  if (std::isnan(b)) return Ordering::Unordered;
  if (a.is_int()) return compare_int_double(a.i, b);
  if (std::isinf(b)) return b > 0 ? Ordering::Less : Ordering::Greater;
  return ordering_of(big_compare_double(a, b));
}

}  // namespace

double num_to_double(Value number) {
  if (number.is_float()) return number.d;
  if (number.is_int()) return static_cast<double>(number.i);
  return big_to_double(number);
}

NumericResult num_add(Heap& heap, Value a, Value b, std::uint32_t max_bits) {
  std::int64_t n = 0;
  if (a.is_int() && b.is_int() && !__builtin_add_overflow(a.i, b.i, &n)) return done(Value::integer(n));
  if (!both_numbers(a, b)) return failed(NumericError::NotANumber);
  if (any_float(a, b)) return done(num_to_double(a) + num_to_double(b));
  return big_arithmetic(heap, BigOp::Add, a, b, max_bits);
}

NumericResult num_sub(Heap& heap, Value a, Value b, std::uint32_t max_bits) {
  std::int64_t n = 0;
  if (a.is_int() && b.is_int() && !__builtin_sub_overflow(a.i, b.i, &n)) return done(Value::integer(n));
  if (!both_numbers(a, b)) return failed(NumericError::NotANumber);
  if (any_float(a, b)) return done(num_to_double(a) - num_to_double(b));
  return big_arithmetic(heap, BigOp::Sub, a, b, max_bits);
}

NumericResult num_mul(Heap& heap, Value a, Value b, std::uint32_t max_bits) {
  std::int64_t n = 0;
  if (a.is_int() && b.is_int() && !__builtin_mul_overflow(a.i, b.i, &n)) return done(Value::integer(n));
  if (!both_numbers(a, b)) return failed(NumericError::NotANumber);
  if (any_float(a, b)) return done(num_to_double(a) * num_to_double(b));
  return big_arithmetic(heap, BigOp::Mul, a, b, max_bits);
}

NumericResult num_div(Heap&, Value a, Value b) {
  if (!both_numbers(a, b)) return failed(NumericError::NotANumber);
  if (b.is_int() && b.i == 0) return failed(NumericError::DivisionByZero);
  const double x = num_to_double(a);
  const double y = num_to_double(b);
  const bool overflowed = (std::isinf(x) && a.is_integer()) || (std::isinf(y) && b.is_integer());
  if (overflowed && !any_float(a, b)) return done(big_ratio(a, b));
  return done(x / y);
}

NumericResult num_quot(Heap& heap, Value a, Value b) {
  NumericResult settled;
  if (division_settled(a, b, settled)) return settled;
  if (any_float(a, b)) {
    const double quotient = num_to_double(a) / num_to_double(b);
    if (!std::isfinite(quotient)) return failed(NumericError::NoInteger);
    return done(integer_from_double(heap, std::trunc(quotient)));
  }
  if (a.is_int() && b.is_int() && !(a.i == kMinInt && b.i == -1)) return done(Value::integer(a.i / b.i));
  return big_arithmetic(heap, BigOp::Quot, a, b, UINT32_MAX);
}

NumericResult num_rem(Heap& heap, Value a, Value b) {
  NumericResult settled;
  if (division_settled(a, b, settled)) return settled;
  if (any_float(a, b)) return done(std::fmod(num_to_double(a), num_to_double(b)));
  if (a.is_int() && b.is_int()) return done(Value::integer(b.i == -1 ? 0 : a.i % b.i));
  return big_arithmetic(heap, BigOp::Rem, a, b, UINT32_MAX);
}

NumericResult num_mod(Heap& heap, Value a, Value b) {
  NumericResult settled;
  if (division_settled(a, b, settled)) return settled;
  if (any_float(a, b)) {
    const double y = num_to_double(b);
    const double r = std::fmod(num_to_double(a), y);
    return done(r != 0.0 && (r < 0) != (y < 0) ? r + y : r);
  }
  if (a.is_int() && b.is_int()) {
    const std::int64_t r = b.i == -1 ? 0 : a.i % b.i;
    return done(Value::integer(r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r));
  }
  return big_arithmetic(heap, BigOp::Mod, a, b, UINT32_MAX);
}

NumericResult num_neg(Heap& heap, Value a) {
  if (a.is_int() && a.i != kMinInt) return done(Value::integer(-a.i));
  if (a.is_float()) return done(-a.d);
  if (!a.is_number()) return failed(NumericError::NotANumber);
  return done(big_negate(heap, a));
}

NumericResult num_abs(Heap& heap, Value a) {
  if (a.is_float()) return done(std::fabs(a.d));
  if (!a.is_number()) return failed(NumericError::NotANumber);
  return integer_is_negative(a) ? num_neg(heap, a) : done(retained(a));
}

Ordering num_compare(Value a, Value b) {
  if (a.is_int() && b.is_int()) return ordering_of((a.i > b.i) - (a.i < b.i));
  if (a.is_float() && b.is_float()) {
    if (std::isnan(a.d) || std::isnan(b.d)) return Ordering::Unordered;
    return ordering_of((a.d > b.d) - (a.d < b.d));
  }
  if (a.is_float()) return reversed(compare_integer_double(b, a.d));
  if (b.is_float()) return compare_integer_double(a, b.d);
  return ordering_of(big_compare(a, b));
}

NumericResult num_trunc(Heap& heap, Value a) { return integral(heap, a, truncated); }
NumericResult num_floor(Heap& heap, Value a) { return integral(heap, a, floored); }
NumericResult num_ceil(Heap& heap, Value a) { return integral(heap, a, ceiled); }
NumericResult num_round(Heap& heap, Value a) { return integral(heap, a, rounded_away); }

NumericResult num_bit(Heap& heap, BitOp op, Value a, Value b) {
  if (!a.is_integer() || !b.is_integer()) return failed(NumericError::NotANumber);
  const bool small = a.is_int() && b.is_int();
  switch (op) {
    case BitOp::And:
      return small ? done(Value::integer(a.i & b.i)) : big_arithmetic(heap, BigOp::And, a, b, UINT32_MAX);
    case BitOp::Or:
      return small ? done(Value::integer(a.i | b.i)) : big_arithmetic(heap, BigOp::Or, a, b, UINT32_MAX);
    case BitOp::Xor:
      return small ? done(Value::integer(a.i ^ b.i)) : big_arithmetic(heap, BigOp::Xor, a, b, UINT32_MAX);
    case BitOp::AndNot:
      return small ? done(Value::integer(a.i & ~b.i)) : big_arithmetic(heap, BigOp::AndNot, a, b, UINT32_MAX);
  }
  return failed(NumericError::NotANumber);
}

NumericResult num_shift(Heap& heap, Value a, std::int64_t shift, std::uint32_t max_bits) {
  if (!a.is_integer()) return failed(NumericError::NotANumber);
  if (shift <= 0) {
    const std::uint64_t distance = ~static_cast<std::uint64_t>(shift) + 1;
    if (a.is_int()) return done(Value::integer(a.i >> (distance > 63 ? 63 : distance)));
    return done(big_shift_right(heap, a, distance));
  }
  const std::uint64_t bits = integer_bits(a);
  if (bits == 0) return done(Value::integer(0));
  const auto distance = static_cast<std::uint64_t>(shift);
  if (distance > max_bits || bits + distance > max_bits) return failed(NumericError::TooWide);
  if (a.is_int() && bits + distance < 63) return done(Value::integer(a.i * (std::int64_t{1} << distance)));
  return done(big_shift_left(heap, a, static_cast<std::uint32_t>(distance)));
}

bool num_bit_test(Value a, std::uint64_t bit) {
  if (a.is_int()) return ((a.i >> (bit > 63 ? 63 : bit)) & 1) != 0;
  return big_bit_test(a, bit);
}

}  // namespace ptc
