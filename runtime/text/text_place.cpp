#include "runtime/text/text_place.h"

#include <algorithm>

namespace ptc {

TextPlace text_place(std::string_view text, std::size_t offset) {
  TextPlace place;
  for (const char c : text.substr(0, std::min(offset, text.size()))) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;   // inside of a code point
    if (!continues) ++place.column;
    if (c != '\n') continue;
    ++place.line;
    place.column = 1;
  }
  return place;
}

std::string text_place_words(std::string_view text, std::size_t offset) {
  const TextPlace place = text_place(text, offset);
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

}  // namespace ptc
