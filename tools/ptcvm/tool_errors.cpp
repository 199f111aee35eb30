#include "tools/ptcvm/tool_errors.h"

#include <iostream>

#include "vm/value/utf8.h"

namespace ptcvm::cli {

namespace {

// U+0080 to U+009F, which some terminals obey, and the marks that change the direction of writing.
bool begins_harm(std::string_view text) {
  const auto second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0;
  if (text[0] == '\xC2') return second < 0xA0;
  return text.starts_with("\u200E") || text.starts_with("\u200F") ||
         (text.starts_with("\xE2\x80") && text.size() > 2 && text[2] >= '\xAA' && text[2] <= '\xAE') ||
         (text.starts_with("\xE2\x81") && text.size() > 2 && text[2] >= '\xA6' && text[2] <= '\xA9');
}

}  // namespace

std::string harmless_text(std::string_view given) {
  const std::string text = ptc::utf8_repaired(std::string(given));
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f;
    const bool is_harm = begins_harm(std::string_view(text).substr(at));
    const std::size_t length = byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (is_control || is_harm) {
      out += '?';
    } else {
      out.append(text, at, length);
    }
    at += length;
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
