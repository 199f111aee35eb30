// Regular expressions in linear time (RE2) over UTF-8. \d \w \s \b are ASCII as in Clojure; \p{L} and the like are
// Unicode.
//
// A Regex value holds its source text. The automaton is in the Automata of the run, outside of the heap. Every regex
// counts kRegexBytes against the memory limit, compiled or not: the memory of a program does not depend on what it has
// already run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::int64_t kRegexBytes = 64 * 1024;

// Returns how many instructions the compiled pattern has, at least 1, or 0 when the pattern cannot be compiled. Then
// `error` says why and `position` where, counting characters from 0.
std::uint32_t regex_check(std::string_view pattern, std::string& error, std::size_t& position);

// Makes a regex value. With `error`, checks the pattern now and returns Absent with a sentence when it is invalid. With
// null the caller promises that regex_check() accepted the pattern, which is compiled at its first use.
Value regex_make(Heap& heap, std::string_view pattern, std::string* error);
// Makes a regex of an owned string without a check. When the pattern is invalid, its first use fails with type_error.
Value regex_of_source(Heap& heap, Value taken_source);

}  // namespace ptc
