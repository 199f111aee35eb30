// Code points of UTF-8 text. Strings of the language are always valid UTF-8 (string_of repairs what is not), so code
// that walks one may rely on `valid`; text from elsewhere has to look at it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

struct Utf8Step {
  char32_t code_point;    // U+FFFD when not valid
  std::size_t length;     // bytes taken; of malformed text the longest prefix that could have begun a code point
  bool valid;
};

Utf8Step utf8_decode(std::string_view nonempty);
void utf8_append(std::string& out, char32_t code_point);   // surrogates and values above U+10FFFF give U+FFFD
bool utf8_is_valid(std::string_view bytes);
bool utf8_is_ascii(std::string_view bytes);
std::string utf8_repaired(std::string_view bytes);         // each malformed stretch becomes U+FFFD
// The longest prefix of at most max_bytes that does not end inside a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);
std::size_t utf8_count(std::string_view text);             // code points

}  // namespace ptc
