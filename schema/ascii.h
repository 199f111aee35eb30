// Characters that mean the same to all readers, whatever the locale.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// Appends two digits for each byte.
inline void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHexDigits[byte >> 4u];
    out += kHexDigits[byte & 15u];
  }
}

}  // namespace ptc
