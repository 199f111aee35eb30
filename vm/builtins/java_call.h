// Arguments of interop members: strings, and numbers converted to Java's integers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/builtins/call.h"

namespace ptc {

// False parked java_type_error.
[[nodiscard]] bool java_string(Call& call, std::uint32_t i, std::string_view& text);
// A number as a Java cast does it: fractions are cut and NaN is 0. Infinities and what is beyond 64 bits are
// refused.
[[nodiscard]] bool java_long(Call& call, std::uint32_t i, std::int64_t& n);
// Text for a message: quoted, and cut when long.
std::string shown(std::string_view text);

}  // namespace ptc
