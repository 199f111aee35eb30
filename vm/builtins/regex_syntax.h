// From the pattern syntax of the language to RE2's. What only a backtracking engine can do (look-around,
// back-references, atomic groups, possessive quantifiers …) is refused with a sentence that names it; a few spellings
// that RE2 lacks are rewritten: (?<name>…), \uXXXX, \h, \R, \e, \p{Alpha} and the other POSIX classes, (?#…) comments.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

struct RegexSyntaxError {
  std::string message;
  std::size_t offset = 0;     // bytes into the pattern
};

// False: *error says why. The result may still be refused by RE2.
bool translate_regex(std::string_view pattern, std::string& translated, RegexSyntaxError& error);

// Whether a search never reads far past the match that it finds, for any text: true only for patterns that are a plain
// sequence, without alternatives and without repeated groups. There, whenever a match is found, every attempt that
// began before it and sits in an unbounded repeat would have matched with the same characters, so none is left waiting.
bool reads_little_past_match(std::string_view pattern);

}  // namespace ptc
