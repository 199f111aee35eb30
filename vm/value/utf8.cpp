// UTF-8 by the table of well-formed sequences (Unicode 3.9, table 3-7): overlong forms and surrogates are malformed.
#include "vm/value/utf8.h"

#include <cstdint>
#include <cstring>

namespace ptc {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

struct LeadByte {
  std::size_t length;        // 0: cannot begin a code point
  unsigned second_min, second_max;
};

LeadByte lead_byte(unsigned b) {
  if (b >= 0xC2 && b <= 0xDF) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};
  if (b >= 0xE1 && b <= 0xEF) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b >= 0xF1 && b <= 0xF3) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Bytes at the front that are ASCII, eight at a time.
std::size_t ascii_prefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & kHighBits) != 0) break;
  }
  while (i < text.size() && byte_at(text, i) < 0x80) ++i;
  return i;
}

}  // namespace

Utf8Step utf8_decode(std::string_view nonempty) {
  const unsigned first = byte_at(nonempty, 0);
  if (first < 0x80) return {static_cast<char32_t>(first), 1, true};
  const LeadByte lead = lead_byte(first);
  if (lead.length == 0) return {kReplacement, 1, false};
  char32_t code_point = first & (0xFFu >> (lead.length + 1));
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i >= nonempty.size()) return {kReplacement, i, false};
    const unsigned b = byte_at(nonempty, i);
    const unsigned low = i == 1 ? lead.second_min : 0x80u;
    const unsigned high = i == 1 ? lead.second_max : 0xBFu;
    if (b < low || b > high) return {kReplacement, i, false};
    code_point = (code_point << 6) | (b & 0x3Fu);
  }
  return {code_point, lead.length, true};
}

std::size_t utf8_encode(char32_t code_point, char bytes[4]) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = kReplacement;
  std::size_t size = 0;
  const auto push = [&](char32_t byte) { bytes[size++] = static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0 | (code_point >> 6));
    push(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    push(0xE0 | (code_point >> 12));
    push(0x80 | ((code_point >> 6) & 0x3F));
    push(0x80 | (code_point & 0x3F));
  } else {
    push(0xF0 | (code_point >> 18));
    push(0x80 | ((code_point >> 12) & 0x3F));
    push(0x80 | ((code_point >> 6) & 0x3F));
    push(0x80 | (code_point & 0x3F));
  }
  return size;
}

bool utf8_is_ascii(std::string_view bytes) { return ascii_prefix(bytes) == bytes.size(); }

bool utf8_is_valid(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    if (byte_at(bytes, i) < 0x80) {
      i += ascii_prefix(bytes.substr(i));
      continue;
    }
    const LeadByte lead = lead_byte(byte_at(bytes, i));
    if (lead.length == 0 || lead.length > bytes.size() - i) return false;
    const unsigned second = byte_at(bytes, i + 1);
    if (second < lead.second_min || second > lead.second_max) return false;
    for (std::size_t k = 2; k < lead.length; ++k) {
      if ((byte_at(bytes, i + k) & 0xC0u) != 0x80u) return false;
    }
    i += lead.length;
  }
  return true;
}

std::string utf8_repaired(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + 8);
  while (!bytes.empty()) {
    const std::size_t ascii = ascii_prefix(bytes);
    out.append(bytes.substr(0, ascii));
    bytes.remove_prefix(ascii);
    if (bytes.empty()) break;
    const Utf8Step step = utf8_decode(bytes);
    if (step.valid) {
      out.append(bytes.substr(0, step.length));
    } else {
      utf8_append(out, kReplacement);
    }
    bytes.remove_prefix(step.length);
  }
  return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (byte_at(text, end) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end);
}

std::size_t utf8_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) count += (byte_at(text, i) & 0xC0u) != 0x80u;
  return count;
}

}  // namespace ptc
