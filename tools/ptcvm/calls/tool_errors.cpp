#include "tools/ptcvm/calls/tool_errors.h"

#include <iostream>

namespace ptcvm::cli {

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
