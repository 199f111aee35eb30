// Integers beyond 64 bits: the slow half of the numeric tower. Only bigint.cpp knows the arbitrary-precision
// library; what crosses this header are Values.
//
// Invariant: a BigInt object never holds a value that fits in int64 and has no leading zero limb. Every
// function that makes one goes through integer_from_limbs, which keeps that.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vm/value/numeric.h"

namespace ptc {

// The integer of that sign and magnitude (least significant limb first), as Int when it fits.
Value integer_from_limbs(Heap& heap, bool negative, std::span<const std::uint64_t> magnitude);
// x must be finite and integral.
Value integer_from_double(Heap& heap, double x);
Value integer_from_digits(Heap& heap, bool negative,
                          std::string_view digits);  // digits only, width checked before

std::uint32_t integer_bits(Value integer);  // width of the magnitude; 0 for 0
bool integer_is_negative(Value integer);

// Int or BigInt operands in any mix.
enum class BigOp : std::uint8_t { Add, Sub, Mul, Quot, Rem, Mod, And, Or, Xor, AndNot };
NumericResult big_arithmetic(Heap& heap, BigOp op, Value a, Value b, std::uint32_t max_bits);
Value big_negate(Heap& heap, Value integer);
Value big_shift_left(Heap& heap, Value integer, std::uint32_t bits);   // width checked before
Value big_shift_right(Heap& heap, Value integer, std::uint64_t bits);  // floors

int big_compare(Value a, Value b);                 // -1, 0, 1; Int or BigInt
int big_compare_double(Value big, double finite);  // exact; big is a BigInt
double big_to_double(Value big);                   // nearest, ties to even; may be infinite
double big_ratio(Value a, Value b);  // a / b as a double, also when neither fits in one; b not 0
bool big_bit_test(Value big, std::uint64_t bit);
void append_big(std::string& out, Value big);

}  // namespace ptc
