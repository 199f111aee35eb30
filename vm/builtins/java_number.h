// Numbers as Java's parse methods read them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

// Double.parseDouble: blanks around it (up to U+0020), NaN and Infinity with a sign, digits on at least one
// side of the point, an exponent, hexadecimal with a p exponent, a suffix f F d D. Out of range: infinity or
// zero.
std::optional<double> parse_java_double(std::string_view text);
// Float.parseFloat: the same text, rounded once to 32 bits.
std::optional<double> parse_java_float(std::string_view text);
// Long.parseLong: a sign and decimal digits of any script; nothing when it does not fit in min .. max.
std::optional<std::int64_t> parse_java_integer(std::string_view text, std::int64_t min, std::int64_t max);

}  // namespace ptc
