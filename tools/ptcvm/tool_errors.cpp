#include "tools/ptcvm/tool_errors.h"

#include <iostream>

#include "vm/value/utf8.h"

namespace ptcvm::cli {

std::string tool_error_lines(std::string_view tool, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line = ptc::utf8_repaired(std::string(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    for (char& c : line) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\t') || byte == 0x7f) c = '?';
    }
    out.append(tool).append(": ").append(line).append("\n");
  }
  return out;
}

void show_tool_errors(std::string_view tool, std::string_view text) { std::cerr << tool_error_lines(tool, text); }

}  // namespace ptcvm::cli
