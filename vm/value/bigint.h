// Integers beyond 64 bits: the slow half of the numeric tower. Only bigint.cpp uses the arbitrary-precision library;
// only Values cross this header.
//
// Invariant: a BigInt object never holds a value that fits in int64, and has no leading zero limb. Every function that
// makes a BigInt goes through integer_from_limbs(), which keeps this invariant.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vm/value/numeric.h"

namespace ptc {

// Returns the integer of that sign and magnitude (least significant limb first), as an Int when it fits.
Value integer_from_limbs(Heap& heap, bool negative, std::span<const std::uint64_t> magnitude);
// Converts x, which must be finite and integral.
Value integer_from_double(Heap& heap, double x);
Value integer_from_digits(Heap& heap, bool negative,
                          std::string_view digits);  // digits only; the caller has checked the width

std::uint32_t integer_bits(Value integer);  // returns the width of the magnitude; 0 for 0
bool integer_is_negative(Value integer);

// Operands are Int or BigInt in any mix.
enum class BigOp : std::uint8_t { Add, Sub, Mul, Quot, Rem, Mod, And, Or, Xor, AndNot };
NumericResult big_arithmetic(Heap& heap, BigOp op, Value a, Value b, std::uint32_t max_bits);
Value big_negate(Heap& heap, Value integer);
Value big_shift_left(Heap& heap, Value integer, std::uint32_t bits);   // the caller has checked the width
Value big_shift_right(Heap& heap, Value integer, std::uint64_t bits);  // rounds down

int big_compare(Value a, Value b);                 // -1, 0, 1; Int or BigInt
int big_compare_double(Value big, double finite);  // exact; big is a BigInt
double big_to_double(Value big);                   // rounds to nearest, ties to even; may be infinite
double big_ratio(Value a, Value b);  // returns a / b as a double, also when neither fits in one; b is not 0
bool big_bit_test(Value big, std::uint64_t bit);
void append_big(std::string& out, Value big);

}  // namespace ptc
