// The atoms of program text: what a number, a character, a string, a keyword or a symbol is. Pure functions
// over text; positions and nesting are the reader's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "schema/blank_characters.h"

namespace ptc {

// Digits that an integer literal may have.
inline constexpr std::size_t kMaxIntegerDigits = 100;

// Returns whether a token may end right before `rest`: at the end, a blank, a comment, a delimiter.
bool at_delimiter(std::string_view rest);
// Returns the number of bytes up to the next delimiter.
std::size_t run_length(std::string_view text);

bool is_symbol_start(char c);
bool is_symbol_part(char c);
bool is_keyword_part(char c);

struct NumberToken {
  enum class Kind : std::uint8_t { Malformed, TooLong, Int, Float };
  Kind kind{};
  std::string digits;   // Int: canonical decimal
  double real = 0;      // Float
};
NumberToken parse_number(std::string_view token);

// Reads a character literal without its backslash ("a", "newline", "u0041", "o101") as UTF-8; false when it is
// none.
bool parse_character(std::string_view token, std::string& out);

// Returns the text of a string literal's body (without quotes). `regex`: only \\ \" \n \t \r are decoded.
std::string decode_string(std::string_view body, bool regex);

void append_utf8(std::string& out, char32_t c);
// Returns the start of `text`, at most `bytes` long, cut between characters.
std::string_view clip_utf8(std::string_view text, std::size_t bytes);
// Returns the offset of the first byte that is not UTF-8, or npos.
std::size_t find_malformed_utf8(std::string_view text);

}  // namespace ptc
