// Keeps text on one line of a list.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace ptc {

// Returns the text with a blank for each line break.
inline std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

}  // namespace ptc
