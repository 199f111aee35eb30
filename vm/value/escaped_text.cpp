#include "vm/value/escaped_text.h"

#include <cstdint>
#include <cstring>

#include "schema/ascii.h"
#include "vm/value/account.h"

namespace ptc {

namespace {

// Returns how a byte is written inside of quotes when it is not written as it is, or nullptr.
const char* escape_of(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    default: return nullptr;
  }
}

bool is_escaped(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\';
}

void append_escape(std::string& out, char c) {
  if (const char* const escape = escape_of(c)) {
    out += escape;
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

// Returns how many bytes of a text are written as they are, up to the first escape.
std::size_t plain_bytes(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  // Marks the high bit of the first byte that is 0. A later byte may be marked, too; the loop below finds the first.
  const auto zeros = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t below_space = (word - kOnes * 0x20) & ~word & kHighs;
    if ((below_space | zeros(word ^ kOnes * '"') | zeros(word ^ kOnes * '\\') | zeros(word ^ kOnes * 0x7f)) != 0) break;
  }
  while (at < text.size() && !is_escaped(text[at])) ++at;
  return at;
}

// Appends a piece of a text: runs of bytes that are written as they are, and escapes between them.
void append_escaped_piece(std::string& out, std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t plain = plain_bytes(piece);
    out.append(piece.data(), plain);
    if (plain == piece.size()) return;
    append_escape(out, piece[plain]);
    piece.remove_prefix(plain + 1);
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view utf8) {
  constexpr std::size_t kPieceBytes = 4 * 1024;   // ends of pieces are the bytes at which work is counted
  while (!utf8.empty()) {
    const std::size_t piece = (utf8.size() - 1) % kPieceBytes + 1;
    append_escaped_piece(out, utf8.substr(0, piece));
    utf8.remove_prefix(piece);
    work_done_at_byte(utf8.size());
  }
}

}  // namespace ptc
