// One % directive of format: %[flags][width][.precision]conversion.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

struct FormatSpec {
  bool left = false, plus = false, space = false, zero = false, alternate = false, grouped = false;
  bool has_precision = false;
  std::uint32_t width = 0, precision = 0;
  char conversion = 0;
  bool upper = false;             // true when the conversion letter was a capital
};

// Returns integers and floats as digits without padding, with sign, grouping and prefix. x and o write the magnitude.
std::string format_integer(const FormatSpec& spec, Value integer);
std::string format_radix(const FormatSpec& spec, Value integer, unsigned bits_per_digit);
std::string format_fixed(const FormatSpec& spec, Value number);         // formats %f
std::string format_scientific(const FormatSpec& spec, Value number);    // formats %e

// Returns the decimal digits of |x| with that many decimals. Halves are rounded away from zero on the exact binary
// value.
std::string fixed_digits(double magnitude, std::uint32_t decimals);

}  // namespace ptc
