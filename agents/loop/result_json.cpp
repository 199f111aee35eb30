#include "agents/loop/result_json.h"

#include <algorithm>

namespace ptcvm::loop {

// Works on the text, because a walk over JSON that is nested a million deep would need as much stack.
std::string result_json(ValueView value) {
  std::string text = value.to_json();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    const std::size_t begin = i++;
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    std::size_t next = i + 1;
    while (next < text.size() && text[next] == ' ') ++next;
    if (next >= text.size() || text[next] != ':') continue;
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(i), '-',
                 '_');
  }
  return text;
}

}  // namespace ptcvm::loop
