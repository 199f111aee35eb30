// A position in UTF-8 program text that knows its line and column.
//
// Invariant: the text is valid UTF-8 (reader.cpp checks it first) and the offset is on a character
// boundary.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "schema/source_span.h"

namespace ptc {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return offset_ >= text_.size(); }
  std::uint32_t offset() const { return offset_; }
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }

  // Returns the byte `ahead` bytes further, or NUL past the end.
  char peek(std::uint32_t ahead = 0) const {
    return offset_ + std::size_t{ahead} < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  std::string_view rest() const { return text_.substr(offset_); }
  std::string_view slice(std::uint32_t begin) const { return text_.substr(begin, offset_ - begin); }

  // Goes past one character.
  void advance() {
    if (text_[offset_] == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
    offset_ += character_length();
  }
  void advance_bytes(std::size_t bytes) {
    const std::size_t stop = offset_ + bytes;
    while (offset_ < stop && !at_end()) advance();
  }

  // Returns the number of bytes of the character at the offset.
  std::uint32_t character_length() const {
    const auto lead = static_cast<unsigned char>(text_[offset_]);
    return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  }

  SourceSpan span() const { return {offset_, offset_, line_, column_}; }
  SourceSpan span_from(SourceSpan start) const {
    start.end = offset_;
    return start;
  }

 private:
  std::string_view text_;
  std::uint32_t offset_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace ptc
