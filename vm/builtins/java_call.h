// Reads arguments of interop members: strings, and numbers converted to integers of Java.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/builtins/call.h"

namespace ptc {

// Returns false after parking java_type_error.
[[nodiscard]] bool java_string(Call& call, std::uint32_t i, std::string_view& text);
// Converts a number as a Java cast does: fractions are cut and NaN is 0. Refuses infinities and numbers beyond 64 bits.
[[nodiscard]] bool java_long(Call& call, std::uint32_t i, std::int64_t& n);
// Returns text for a message, quoted, and cut when it is long.
std::string shown(std::string_view text);

}  // namespace ptc
