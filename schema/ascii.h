// Characters that mean the same to all readers, whatever the locale.
#pragma once
#include <string_view>

namespace ptc {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace ptc
