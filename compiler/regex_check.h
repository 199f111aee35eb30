// Whether a regular expression literal is one that the engine can run.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

struct RegexProblem {
  std::string reason;
  std::size_t position = 0;   // byte offset in the pattern, as near as can be told
  std::string hint;
};

bool check_regex(std::string_view pattern, RegexProblem& problem);

}  // namespace ptc
