#include "tools/ptcvm/text/text_place.h"

#include <algorithm>

namespace ptcvm::cli {

std::string text_place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;      // 0 in the first line
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  const auto column = std::ranges::count_if(before.substr(line_begin), begins_character) + 1;
  return std::to_string(std::ranges::count(before, '\n') + 1) + ':' + std::to_string(column);
}

}  // namespace ptcvm::cli
