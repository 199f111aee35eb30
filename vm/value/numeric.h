// The numeric tower: int64 inline, arbitrary precision above, binary64. Operands are borrowed, and the caller owns the
// results.
//
// Only + - * and shifts can leave int64; results are normalised (a BigInt never fits in int64). Integers wider than
// max_integer_bits are refused before they are computed: NumericError::TooWide.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

enum class NumericError : std::uint8_t { None, NotANumber, DivisionByZero, TooWide, NoInteger };

struct NumericResult {
  Value value;  // owned when error == None
  NumericError error = NumericError::None;
};

inline constexpr std::uint32_t kMaxIntegerBitsDefault = 65'536;

// Both operands must be numbers, else the error is NotANumber.
NumericResult num_add(Heap& heap, Value a, Value b, std::uint32_t max_bits = kMaxIntegerBitsDefault);
NumericResult num_sub(Heap& heap, Value a, Value b, std::uint32_t max_bits = kMaxIntegerBitsDefault);
NumericResult num_mul(Heap& heap, Value a, Value b, std::uint32_t max_bits = kMaxIntegerBitsDefault);
NumericResult num_div(Heap& heap, Value a,
                      Value b);  // always a float; int / int 0 is DivisionByZero, float is IEEE
NumericResult num_quot(Heap& heap, Value a, Value b);  // int, also for floats; infinities and NaN give NaN
NumericResult num_rem(Heap& heap, Value a, Value b);
NumericResult num_mod(Heap& heap, Value a, Value b);
NumericResult num_neg(Heap& heap, Value a);
NumericResult num_abs(Heap& heap, Value a);

// Compares by value across int and float, exactly (without rounding the integer). Unordered means that a NaN is
// involved.
enum class Ordering : std::int8_t { Less = -1, Equal = 0, Greater = 1, Unordered = 2 };
Ordering num_compare(Value a, Value b);

double num_to_double(Value number);
// Truncate, floor, ceil, and round half away from zero. Ints stay unchanged; infinities and NaN give NoInteger.
NumericResult num_trunc(Heap& heap, Value a);
NumericResult num_floor(Heap& heap, Value a);
NumericResult num_ceil(Heap& heap, Value a);
NumericResult num_round(Heap& heap, Value a);

// Bitwise operations on integers of any size, as two's complement. shift > 0 shifts left.
enum class BitOp : std::uint8_t { And, Or, Xor, AndNot };
NumericResult num_bit(Heap& heap, BitOp op, Value a, Value b);
NumericResult num_shift(Heap& heap, Value a, std::int64_t shift,
                        std::uint32_t max_bits = kMaxIntegerBitsDefault);
bool num_bit_test(Value a, std::uint64_t bit);

// Reads decimal text as an integer (optional sign, digits only, any size within the limit), or returns Absent.
Value integer_from_decimal(Heap& heap, std::string_view text,
                           std::uint32_t max_bits = kMaxIntegerBitsDefault);
void append_integer(std::string& out, Value integer);
// Appends the shortest spelling that reads back: fixed with at least one decimal, or d.de-5 / d.de20 when |x| >= 2^53,
// or when |x| < 1 and that is strictly shorter. Specials are "##Inf" "##-Inf" "##NaN" when readable, else "Infinity"
// "-Infinity" "NaN".
void append_float(std::string& out, double x, bool readable);
// Reads decimal text ([-+]digits[.digits][e..]) as a double, or returns nullopt. Overflow gives an infinity.
std::optional<double> parse_double(std::string_view text);

}  // namespace ptc
