// What text of strangers could do to a terminal.
#pragma once
#include <cstddef>
#include <string_view>

namespace ptcvm::chain {

// Returns how many bytes at the beginning of the text could steer a terminal: a control character other than line end
// and tab, also U+0080 to U+009F, which some terminals obey, or a mark that changes the direction of writing. 0: none.
// The text must not be empty.
inline std::size_t terminal_harm(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  if ((byte(0) < 0x20 && text[0] != '\n' && text[0] != '\t') || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
  const bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xAA && byte(2) <= 0xAE));
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return byte(0) == 0xE2 && (is_mark || is_isolate) ? 3 : 0;
}

}  // namespace ptcvm::chain
