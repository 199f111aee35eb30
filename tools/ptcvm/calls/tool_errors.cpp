#include "tools/ptcvm/calls/tool_errors.h"

#include <algorithm>
#include <iostream>

#include "agents/chain/text/terminal_harm.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {

std::string harmless_text(std::string_view given) {
  const std::string repaired = ptc::utf8_repaired(std::string(given));
  std::string out;
  for (std::string_view text = repaired; !text.empty();) {
    const std::size_t harm = chain::terminal_harm(text);
    out += harm == 0 ? text[0] : '?';
    text.remove_prefix(std::max<std::size_t>(harm, 1));
  }
  return out;
}

std::string tool_error_lines(std::string_view tool, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string line = harmless_text(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    out.append(tool).append(": ").append(line).append("\n");
  }
  return out;
}

void show_tool_errors(std::string_view tool, std::string_view text) { std::cerr << tool_error_lines(tool, text); }

}  // namespace ptcvm::cli
