// Reads numbers as the parse methods of Java do.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

// Reads what Double.parseDouble reads: blanks around it (up to U+0020), NaN and Infinity with a sign, digits on at
// least one side of the point, an exponent, hexadecimal with a p exponent, a suffix f F d D. Numbers out of range give
// infinity or zero.
std::optional<double> parse_java_double(std::string_view text);
// Reads what Float.parseFloat reads: the same text, rounded once to 32 bits.
std::optional<double> parse_java_float(std::string_view text);
// Reads what Long.parseLong reads: a sign and decimal digits of any script. Returns nullopt when the number is not in
// min .. max.
std::optional<std::int64_t> parse_java_integer(std::string_view text, std::int64_t min, std::int64_t max);

}  // namespace ptc
