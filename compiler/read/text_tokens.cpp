// Escapes of string, regex and character literals. See tokens.h.
#include <array>
#include <optional>
#include <utility>

#include "compiler/read/tokens.h"

namespace ptc {
namespace {

std::optional<char32_t> parse_digits(std::string_view digits, std::size_t count, unsigned base) {
  if (digits.size() < count) return std::nullopt;
  char32_t value = 0;
  for (const char c : digits.substr(0, count)) {
    unsigned digit = 16;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
    if (digit >= base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

bool is_high_surrogate(char32_t c) { return c >= 0xd800 && c <= 0xdbff; }
bool is_low_surrogate(char32_t c) { return c >= 0xdc00 && c <= 0xdfff; }

// \uXXXX, or a surrogate pair of two, at `text` (which starts after the backslash). Gives the bytes used, 0
// when the text is no such escape: a surrogate without its partner stays as it is written.
std::size_t decode_unicode(std::string_view text, std::string& out) {
  const auto first = text[0] == 'u' ? parse_digits(text.substr(1), 4, 16) : std::nullopt;
  if (!first || is_low_surrogate(*first)) return 0;
  if (!is_high_surrogate(*first)) {
    append_utf8(out, *first);
    return 5;
  }
  if (text.substr(5, 2) != "\\u") return 0;
  const auto second = parse_digits(text.substr(7), 4, 16);
  if (!second || !is_low_surrogate(*second)) return 0;
  append_utf8(out, 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
  return 11;
}

std::optional<char> simple_escape(char c, bool regex) {
  switch (c) {
    case '\\': case '"': return c;
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return regex ? std::nullopt : std::optional('\b');
    case 'f': return regex ? std::nullopt : std::optional('\f');
    default: return std::nullopt;
  }
}

}  // namespace

bool parse_character(std::string_view token, std::string& out) {
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, char>>({{"newline", '\n'},
                                                                                   {"space", ' '},
                                                                                   {"tab", '\t'},
                                                                                   {"return", '\r'},
                                                                                   {"backspace", '\b'},
                                                                                   {"formfeed", '\f'}});
  out.clear();
  if (token.empty()) return false;
  const auto lead = static_cast<unsigned char>(token[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (token.size() == length) {
    out = token;
    return true;
  }
  for (const auto& [name, c] : kNames) {
    if (token == name) {
      out.push_back(c);
      return true;
    }
  }
  std::optional<char32_t> code;
  if (token[0] == 'u' && token.size() == 5) code = parse_digits(token.substr(1), 4, 16);
  if (token[0] == 'o' && token.size() <= 4) code = parse_digits(token.substr(1), token.size() - 1, 8);
  if (!code || is_high_surrogate(*code) || is_low_surrogate(*code)) return false;
  if (token[0] == 'o' && *code > 0377) return false;
  append_utf8(out, *code);
  return true;
}

std::string decode_string(std::string_view body, bool regex) {
  std::string out;
  out.reserve(body.size());
  std::size_t i = 0;
  while (i < body.size()) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out.push_back(body[i++]);
      continue;
    }
    const std::string_view after = body.substr(i + 1);
    if (const auto c = simple_escape(after[0], regex)) {
      out.push_back(*c);
      i += 2;
    } else if (const std::size_t used = regex ? 0 : decode_unicode(after, out); used > 0) {
      i += 1 + used;
    } else {
      out.append(body.substr(i, 2));
      i += 2;
    }
  }
  return out;
}

}  // namespace ptc
