// Numbers on the command lines of test programs.
#pragma once
#include <charconv>
#include <cstdint>
#include <string_view>

namespace ptc::test {

// False, unless the whole text is a number.
inline bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace ptc::test
