// Reads and writes the code points of UTF-8 text. Strings of the language are always valid UTF-8 (string_of() repairs
// malformed text), so code that walks a string may rely on `valid`; code that reads other text must check `valid`.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

struct Utf8Step {
  char32_t code_point;    // U+FFFD when the bytes are malformed
  std::size_t length;     // in bytes; in malformed text the longest prefix that could begin a code point
  bool valid;
};

Utf8Step utf8_decode(std::string_view nonempty);
// Writes a code point as at most four bytes, and returns how many. Surrogates and values above U+10FFFF give U+FFFD.
std::size_t utf8_encode(char32_t code_point, char bytes[4]);
template <class Text>
void utf8_append(Text& out, char32_t code_point) {
  char bytes[4];
  out.append(std::string_view(bytes, utf8_encode(code_point, bytes)));
}
bool utf8_is_valid(std::string_view bytes);
bool utf8_is_ascii(std::string_view bytes);
std::string utf8_repaired(std::string_view bytes);         // replaces each malformed stretch with U+FFFD
// Returns the longest prefix of at most max_bytes that does not end inside of a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);
std::size_t utf8_count(std::string_view text);             // counts code points

}  // namespace ptc
