#include "tools/ptcvm/tool_errors.h"

#include <iostream>
#include <string>

#include "vm/value/utf8.h"

namespace ptcvm::cli {

void show_tool_errors(std::string_view tool, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line = ptc::utf8_repaired(std::string(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    for (char& c : line) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\t') || byte == 0x7f) c = '?';
    }
    std::cerr << tool << ": " << line << '\n';
  }
}

}  // namespace ptcvm::cli
