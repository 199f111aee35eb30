// Translates patterns of the language to the syntax of RE2. A sentence refuses what only a backtracking engine can do
// (look-around, back-references, atomic groups, possessive quantifiers …). Some spellings that RE2 lacks are rewritten:
// (?<name>…), \uXXXX, \h, \R, \e, \p{Alpha} and the other POSIX classes, (?#…) comments.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

struct RegexSyntaxError {
  std::string message;
  std::size_t offset = 0;     // the place in the pattern, in bytes
};

// Translates the pattern. Returns false and sets *error when it cannot. RE2 may still refuse the result.
bool translate_regex(std::string_view pattern, std::string& translated, RegexSyntaxError& error);

// Returns whether a search never reads far past the match that it finds, for any text. This is true only for patterns
// that are a plain sequence, without alternatives and without repeated groups: when such a pattern finds a match, every
// attempt that began earlier and is in an unbounded repeat would have matched with the same characters, so no attempt
// is left waiting.
bool reads_little_past_match(std::string_view pattern);

}  // namespace ptc
