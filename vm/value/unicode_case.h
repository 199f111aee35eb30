// Changes the case of Unicode text and finds its blanks, without locale and without context: simple mappings plus the
// unconditional mappings of one code point to several (ß to SS, ﬁ to FI, İ to i + dot). A final sigma is not treated
// specially.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

// Text is std::string or ScratchText.
template <class Text>
void append_upper(Text& out, std::string_view utf8);
template <class Text>
void append_lower(Text& out, std::string_view utf8);
template <class Text>
void append_capitalized(Text& out, std::string_view utf8);   // first code point in title case, the rest lower

// Returns whether Clojure's trim and blank? treat the code point as blank: White_Space without the no-break spaces and
// U+0085, plus the separators U+001C to U+001F.
bool is_blank(char32_t code_point);
// Returns the Unicode property White_Space.
bool is_white_space(char32_t code_point);

}  // namespace ptc
