// Reads the parts of a JSON pointer (RFC 6901), without the slash in front.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

inline std::string pointer_part(std::string_view name) {
  std::string part;
  for (const char c : name) {
    if (c == '~' || c == '/') {
      part += c == '~' ? "~0" : "~1";
    } else {
      part += c;
    }
  }
  return part;
}

inline std::string name_of_pointer_part(std::string_view part) {
  std::string name;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool is_escape = part[i] == '~' && i + 1 < part.size();
    name += !is_escape ? part[i] : part[++i] == '1' ? '/' : '~';
  }
  return name;
}

}  // namespace ptc
