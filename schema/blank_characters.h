// Characters that nobody sees: blanks of programs and of EDN, and others, which messages name.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

// Returns the length of the blank character (any Unicode White_Space, comma, byte order mark) that `text` starts with,
// or 0.
std::size_t blank_length(std::string_view text);

// A character that is no blank and that nobody sees.
struct InvisibleCharacter {
  std::size_t offset = std::string_view::npos;   // npos: there is none
  std::size_t length = 0;                        // in bytes
  std::string name;                              // "U+200B (zero width space)"
};
// Returns the first of them in a text, which is UTF-8.
InvisibleCharacter invisible_in(std::string_view text);

}  // namespace ptc
