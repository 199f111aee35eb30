#include "agents/harness/facts/blank_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptcvm::harness {

namespace {

struct BlankRange {
  char32_t first, last;
};
// White_Space, Default_Ignorable_Code_Point and controls of Unicode 15, and the empty pattern of Braille.
constexpr BlankRange kBlankRanges[] = {
    {0x0000, 0x0020}, {0x007F, 0x00A0}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C}, {0x115F, 0x1160},
    {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F},
    {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

bool is_in_blanks(char32_t code_point) {
  return std::ranges::any_of(kBlankRanges, [code_point](const BlankRange& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

// Returns the code point at the front, and takes it off. A byte that begins none is one of its own.
char32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<std::uint8_t>(text.front());
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  constexpr std::uint8_t kPayload[] = {0x7F, 0x1F, 0x0F, 0x07};
  char32_t code_point = lead & kPayload[size - 1];
  for (std::size_t i = 1; i < std::min(size, text.size()); ++i) {
    code_point = (code_point << 6) | (static_cast<std::uint8_t>(text[i]) & 0x3F);
  }
  text.remove_prefix(std::min(size, text.size()));
  return code_point;
}

}  // namespace

bool is_blank_text(std::string_view text) {
  while (!text.empty()) {
    if (!is_in_blanks(take_code_point(text))) return false;
  }
  return true;
}

}  // namespace ptcvm::harness
