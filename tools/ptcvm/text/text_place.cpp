#include "tools/ptcvm/text/text_place.h"

#include <algorithm>

namespace ptcvm::cli {

std::string text_place(std::string_view text, std::size_t offset) {
  const auto breaks = std::ranges::count(text.substr(0, std::min(offset, text.size())), '\n');
  return std::to_string(breaks + 1) + ':' + std::to_string(text_column(text, offset));
}

std::size_t text_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;      // 0 in the first line
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  return static_cast<std::size_t>(std::ranges::count_if(before.substr(line_begin), begins_character)) + 1;
}

}  // namespace ptcvm::cli
