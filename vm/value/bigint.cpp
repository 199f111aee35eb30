// BigInt objects and their arithmetic on top of boost::multiprecision::cpp_int.
//
// Hazard: cpp_int reads text with a leading 0 as octal and leaves right shifts of negative numbers to its
// version, so both are handled here by hand.
#include "vm/value/bigint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "vm/value/account.h"

namespace ptc {

namespace {

using Big = boost::multiprecision::cpp_int;

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

const BigInt* as_big(Value v) { return static_cast<const BigInt*>(v.object); }

std::uint64_t magnitude_of(std::int64_t n) {
  return n < 0 ? ~static_cast<std::uint64_t>(n) + 1 : static_cast<std::uint64_t>(n);
}

// Sign and magnitude of any integer without a copy; `one` holds the limb of an Int.
struct Parts {
  bool negative;
  std::span<const std::uint64_t> limbs;
};

Parts parts_of(Value v, std::uint64_t& one) {
  if (v.is_int()) {
    one = magnitude_of(v.i);
    return {v.i < 0, std::span<const std::uint64_t>(&one, v.i == 0 ? 0U : 1U)};
  }
  const BigInt* big = as_big(v);
  return {(big->flags & BigInt::kNegative) != 0, {big->limbs(), big->limb_count}};
}

int compare_magnitude(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  charge_parts(a.size());
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

std::uint32_t bit_width_of(std::span<const std::uint64_t> limbs) {
  if (limbs.empty()) return 0;
  return static_cast<std::uint32_t>((limbs.size() - 1) * 64) +
         static_cast<std::uint32_t>(std::bit_width(limbs.back()));
}

Big to_cpp(Value v) {
  if (v.is_int()) return Big(v.i);
  const BigInt* big = as_big(v);
  Big n;
  boost::multiprecision::import_bits(n, big->limbs(), big->limbs() + big->limb_count, 64, false);
  if ((big->flags & BigInt::kNegative) != 0) n = -n;
  return n;
}

Value from_cpp(Heap& heap, const Big& n) {
  std::vector<std::uint64_t> limbs;
  const Big magnitude = n < 0 ? Big(-n) : n;
  if (magnitude != 0) boost::multiprecision::export_bits(magnitude, std::back_inserter(limbs), 64, false);
  return integer_from_limbs(heap, n < 0, limbs);
}

// Integral finite |x| >= 1 as limbs; at most 1024 bits.
using DoubleLimbs = std::array<std::uint64_t, 17>;
std::span<const std::uint64_t> limbs_of_double(double x, DoubleLimbs& limbs) {
  limbs.fill(0);
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // x = fraction * 2^exponent
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53;
  if (shift <= 0) {
    limbs[0] = mantissa >> -shift;
  } else {
    const auto limb = static_cast<std::size_t>(shift / 64);
    const int bit = shift % 64;
    limbs[limb] = mantissa << bit;
    if (bit > 11) limbs[limb + 1] = mantissa >> (64 - bit);
  }
  std::size_t count = limbs.size();
  while (count > 0 && limbs[count - 1] == 0) --count;
  return {limbs.data(), count};
}

Big floor_mod(const Big& a, const Big& b) {
  Big r = a % b;
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  return r;
}

std::uint64_t limbs_of(Value v) { return v.is_int() ? 1 : as_big(v)->limb_count; }

// What an operation looks at: products and quotients each limb with each, everything else both from end to end.
void charge_limbs(BigOp op, std::uint64_t bits_a, std::uint64_t bits_b) {
  const std::uint64_t a = bits_a / 64 + 1, b = bits_b / 64 + 1;
  const bool each_with_each = op == BigOp::Mul || op == BigOp::Quot || op == BigOp::Rem || op == BigOp::Mod;
  charge_parts(each_with_each ? a * b : a + b);
}

Big compute(BigOp op, const Big& a, const Big& b) {
  switch (op) {
    case BigOp::Add: return a + b;
    case BigOp::Sub: return a - b;
    case BigOp::Mul: return a * b;
    case BigOp::Quot: return a / b;
    case BigOp::Rem: return a % b;
    case BigOp::Mod: return floor_mod(a, b);
    case BigOp::And: return a & b;
    case BigOp::Or: return a | b;
    case BigOp::Xor: return a ^ b;
    case BigOp::AndNot: return a & ~b;
  }
  return Big();
}

// The highest 64 bits of a magnitude with the last bit sticky, so that one conversion to double rounds
// correctly.
std::uint64_t leading_bits(std::span<const std::uint64_t> limbs) {
  const std::uint64_t top = limbs.back();
  const int shift = std::countl_zero(top);
  std::uint64_t word = top << shift;
  std::size_t below = limbs.size() - 1;
  bool sticky = false;
  if (shift > 0 && below > 0) {
    --below;
    word |= limbs[below] >> (64 - shift);
    sticky = (limbs[below] << shift) != 0;
  }
  while (!sticky && below > 0) sticky = limbs[--below] != 0;
  return sticky ? word | 1U : word;
}

constexpr std::uint64_t kDigitsPerLimb = 19;

// Decimal text takes a division or a product of what is left for every few digits.
void charge_digits(std::uint64_t limbs) { charge_parts(limbs * limbs); }

double magnitude_to_double(std::span<const std::uint64_t> limbs) {
  if (limbs.empty()) return 0.0;
  charge_parts(limbs.size());
  const auto bits = static_cast<int>(bit_width_of(limbs));
  return std::ldexp(static_cast<double>(leading_bits(limbs)), bits - 64);
}

}  // namespace

Value integer_from_limbs(Heap& heap, bool negative, std::span<const std::uint64_t> magnitude) {
  while (!magnitude.empty() && magnitude.back() == 0) magnitude = magnitude.first(magnitude.size() - 1);
  if (magnitude.empty()) return Value::integer(0);
  if (magnitude.size() == 1) {
    const std::uint64_t word = magnitude[0];
    if (word < kSignBit) {
      const auto n = static_cast<std::int64_t>(word);
      return Value::integer(negative ? -n : n);
    }
    if (negative && word == kSignBit) return Value::integer(std::numeric_limits<std::int64_t>::min());
  }
  auto* big = heap.make<BigInt>(Kind::BigInt, sizeof(BigInt) + magnitude.size_bytes());
  big->flags = negative ? BigInt::kNegative : std::uint8_t{0};
  big->limb_count = static_cast<std::uint32_t>(magnitude.size());
  big->unused = 0;
  std::memcpy(big->limbs(), magnitude.data(), magnitude.size_bytes());
  return Value::of(Tag::BigInt, big);
}

Value integer_from_double(Heap& heap, double x) {
  constexpr double kLimit = 9223372036854775808.0;
  if (x >= -kLimit && x < kLimit) return Value::integer(static_cast<std::int64_t>(x));
  DoubleLimbs limbs;
  return integer_from_limbs(heap, x < 0, limbs_of_double(x, limbs));
}

Value integer_from_digits(Heap& heap, bool negative, std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  charge_digits(digits.size() / kDigitsPerLimb);
  Big n((std::string(digits)));
  return from_cpp(heap, negative ? Big(-n) : n);
}

std::uint32_t integer_bits(Value integer) {
  std::uint64_t one = 0;
  return bit_width_of(parts_of(integer, one).limbs);
}

bool integer_is_negative(Value integer) {
  std::uint64_t one = 0;
  return parts_of(integer, one).negative;
}

NumericResult big_arithmetic(Heap& heap, BigOp op, Value a, Value b, std::uint32_t max_bits) {
  const std::uint64_t bits_a = integer_bits(a);
  const std::uint64_t bits_b = integer_bits(b);
  const std::uint64_t least = op == BigOp::Mul && bits_a > 0 && bits_b > 0 ? bits_a + bits_b - 1 : 0;
  if (least > max_bits) return {Value::nil(), NumericError::TooWide};
  charge_limbs(op, bits_a, bits_b);
  const Value result = from_cpp(heap, compute(op, to_cpp(a), to_cpp(b)));
  if (integer_bits(result) > max_bits) {  // one bit over at most: the estimate above is short by no more
    heap.release(result);
    return {Value::nil(), NumericError::TooWide};
  }
  return {result, NumericError::None};
}

Value big_negate(Heap& heap, Value integer) {
  std::uint64_t one = 0;
  const Parts parts = parts_of(integer, one);
  charge_parts(parts.limbs.size());
  return integer_from_limbs(heap, !parts.negative, parts.limbs);
}

Value big_shift_left(Heap& heap, Value integer, std::uint32_t bits) {
  charge_parts(limbs_of(integer) + bits / 64);
  return from_cpp(heap, to_cpp(integer) << bits);
}

Value big_shift_right(Heap& heap, Value integer, std::uint64_t bits) {
  const bool negative = integer_is_negative(integer);
  if (bits >= integer_bits(integer)) return Value::integer(negative ? -1 : 0);
  const auto distance = static_cast<unsigned>(bits);
  charge_parts(limbs_of(integer));
  const Big n = to_cpp(integer);
  if (!negative) return from_cpp(heap, n >> distance);
  const Big below = -n - 1;
  const Big shifted = below >> distance;
  return from_cpp(heap, -shifted - 1);
}

int big_compare(Value a, Value b) {
  std::uint64_t one_a = 0;
  std::uint64_t one_b = 0;
  const Parts x = parts_of(a, one_a);
  const Parts y = parts_of(b, one_b);
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  const int order = compare_magnitude(x.limbs, y.limbs);
  return x.negative ? -order : order;
}

int big_compare_double(Value big, double finite) {
  std::uint64_t one = 0;
  const Parts parts = parts_of(big, one);
  if (std::fabs(finite) < 9223372036854775808.0 || parts.negative != (finite < 0))
    return parts.negative ? -1 : 1;
  DoubleLimbs limbs;
  const int order = compare_magnitude(parts.limbs, limbs_of_double(finite, limbs));
  return parts.negative ? -order : order;
}

double big_to_double(Value big) {
  std::uint64_t one = 0;
  const Parts parts = parts_of(big, one);
  const double magnitude = magnitude_to_double(parts.limbs);
  return parts.negative ? -magnitude : magnitude;
}

double big_ratio(Value a, Value b) {
  charge_parts(limbs_of(a) + limbs_of(b));
  const Big x = to_cpp(a);
  const Big y = to_cpp(b);
  if (x == 0) return 0.0;
  // Scaled so that the quotient has 65 bits or more: its last bit is made sticky by the remainder.
  const int shift = 66 - static_cast<int>(integer_bits(a)) + static_cast<int>(integer_bits(b));
  Big dividend = x < 0 ? Big(-x) : x;
  Big divisor = y < 0 ? Big(-y) : y;
  if (shift > 0) dividend <<= static_cast<unsigned>(shift);
  if (shift < 0) divisor <<= static_cast<unsigned>(-shift);
  Big quotient = dividend / divisor;
  if (dividend % divisor != 0) quotient |= 1;
  std::vector<std::uint64_t> limbs;
  boost::multiprecision::export_bits(quotient, std::back_inserter(limbs), 64, false);
  const double magnitude = std::ldexp(magnitude_to_double(limbs), -shift);
  return (x < 0) != (y < 0) ? -magnitude : magnitude;
}

bool big_bit_test(Value big, std::uint64_t bit) {
  std::uint64_t one = 0;
  const Parts parts = parts_of(big, one);
  const std::uint64_t limb = bit / 64;
  if (limb >= parts.limbs.size()) return parts.negative;
  std::uint64_t word = parts.limbs[limb];
  if (parts.negative) {  // two's complement: the bits of ~(magnitude - 1)
    const auto lower = parts.limbs.first(limb);
    charge_parts(limb);
    const bool borrow = std::all_of(lower.begin(), lower.end(), [](std::uint64_t l) { return l == 0; });
    word = ~(word - (borrow ? 1U : 0U));
  }
  return ((word >> (bit % 64)) & 1U) != 0;
}

void append_big(std::string& out, Value big) {
  charge_digits(static_cast<const BigInt*>(big.object)->limb_count);
  out += to_cpp(big).str();
}

}  // namespace ptc
