#include "schema/blank_characters.h"

#include <array>
#include <cstdint>

namespace ptc {
namespace {

struct Invisible {
  std::uint32_t first, last;
  std::string_view name;
};
constexpr std::array kInvisible{
    Invisible{0x00, 0x08, "control character"},       Invisible{0x0e, 0x1f, "control character"},
    Invisible{0x7f, 0x84, "control character"},       Invisible{0x86, 0x9f, "control character"},
    Invisible{0xad, 0xad, "soft hyphen"},             Invisible{0x180e, 0x180e, "vowel separator"},
    Invisible{0x200b, 0x200b, "zero width space"},    Invisible{0x200c, 0x200c, "zero width non-joiner"},
    Invisible{0x200d, 0x200d, "zero width joiner"},   Invisible{0x200e, 0x200e, "left-to-right mark"},
    Invisible{0x200f, 0x200f, "right-to-left mark"},  Invisible{0x202a, 0x202e, "direction of text"},
    Invisible{0x2060, 0x2060, "word joiner"},         Invisible{0x2061, 0x2064, "invisible operator"},
    Invisible{0x2066, 0x206f, "direction of text"},   Invisible{0xfe00, 0xfe0f, "variation selector"},
};

// Three-byte UTF-8 sequences of White_Space and the byte order mark.
bool is_wide_blank(unsigned char a, unsigned char b, unsigned char c) {
  if (a == 0xe1) return b == 0x9a && c == 0x80;                                            // U+1680
  if (a == 0xe2 && b == 0x80) return (c >= 0x80 && c <= 0x8a) || c == 0xa8 || c == 0xa9 || c == 0xaf;
  if (a == 0xe2 && b == 0x81) return c == 0x9f;                                            // U+205F
  if (a == 0xe3) return b == 0x80 && c == 0x80;                                            // U+3000
  return a == 0xef && b == 0xbb && c == 0xbf;                                              // U+FEFF
}

struct Character {
  std::uint32_t code_point = 0;
  std::size_t length = 0;
};

// Reads the character that a text, which is UTF-8 and not empty, starts with.
Character character_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length > text.size()) length = text.size();
  std::uint32_t code_point = length == 1 ? lead : lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  return {code_point, length};
}

// Returns "U+" and at least four digits.
std::string code_point_name(char32_t code_point) {
  std::string digits;
  for (char32_t rest = code_point; rest != 0 || digits.size() < 4; rest >>= 4) {
    digits.insert(digits.begin(), "0123456789ABCDEF"[rest & 15]);
  }
  return "U+" + digits;
}

}  // namespace

std::size_t blank_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto a = static_cast<unsigned char>(text[0]);
  if (a == ' ' || a == ',' || (a >= '\t' && a <= '\r')) return 1;
  if (a < 0x80 || text.size() < 2) return 0;
  const auto b = static_cast<unsigned char>(text[1]);
  if (a == 0xc2) return b == 0x85 || b == 0xa0 ? 2 : 0;
  if (text.size() < 3) return 0;
  return is_wide_blank(a, b, static_cast<unsigned char>(text[2])) ? 3 : 0;
}

InvisibleCharacter invisible_in(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [code_point, length] = character_of(text.substr(at));
    for (const Invisible& range : kInvisible) {
      if (code_point < range.first || code_point > range.last) continue;
      return {at, length, code_point_name(code_point).append(" (").append(range.name) + ')'};
    }
    at += length;
  }
  return {};
}

}  // namespace ptc
