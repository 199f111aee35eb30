// Regular expressions: linear time (RE2) over UTF-8. \d \w \s \b are ASCII as in Clojure; \p{L} and friends are
// Unicode.
//
// A Regex value holds its source text and, once it was used, the compiled automaton. The automaton is outside of the
// heap, so every regex counts kRegexBytes against the memory limit from its making on, whether compiled or not: what a
// program may use does not depend on what it has already run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::int64_t kRegexBytes = 64 * 1024;

// Whether the pattern can be compiled. position counts characters from 0.
bool regex_check(std::string_view pattern, std::string& error, std::size_t& position);

// A regex value. With error: checked now, Absent and a sentence when it is invalid. With null the caller promises that
// regex_check accepted it, and it is compiled when it is first used.
Value regex_make(Heap& heap, std::string_view pattern, std::string* error);
// The same over a string of its own, unchecked: a pattern that is invalid after all fails with type_error when used.
Value regex_of_source(Heap& heap, Value taken_source);

}  // namespace ptc
