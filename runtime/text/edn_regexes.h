// Makes the regular expressions of one EDN text. Compiling an expression takes up to milliseconds, and data of a turn
// is read before the turn has a deadline: a text of a host has no more of them than a program may have.
#pragma once
#include <deque>
#include <string>
#include <string_view>

#include "schema/regex_total.h"
#include "vm/builtins/regex.h"

namespace ptc {

class EdnRegexes {
 public:
  explicit EdnRegexes(bool are_bounded) : are_bounded_(are_bounded) {}

  // Returns Absent and the reason when the pattern is invalid, or when there are too many.
  Value make(Heap& heap, std::string_view pattern, std::string& why) {
    if (!are_bounded_) return regex_make(heap, pattern, &why);
    if (total_.has(pattern)) return regex_make(heap, pattern, nullptr);
    std::size_t position = 0;
    const std::uint32_t instructions = regex_check(pattern, why, position);
    if (instructions == 0) return Value::absent();
    if (!total_.add(patterns_.emplace_back(pattern), instructions)) {
      why = "the regular expressions of this text are too large together";
      return Value::absent();
    }
    return regex_make(heap, pattern, nullptr);
  }

 private:
  const bool are_bounded_;
  std::deque<std::string> patterns_;   // what the total refers to
  RegexTotal total_;
};

}  // namespace ptc
