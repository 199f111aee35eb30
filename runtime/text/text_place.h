// The place of a byte in a text, as people look for it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

// Lines and columns count from 1; columns count code points.
struct TextPlace {
  std::uint32_t line = 1, column = 1;
};

// Returns the place of the byte; an offset behind the end of the text is the place of its end.
TextPlace text_place(std::string_view text, std::size_t offset);
// Returns "line 2, column 7".
std::string text_place_words(std::string_view text, std::size_t offset);

}  // namespace ptc
