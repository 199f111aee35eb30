#include "tools/ptcvm/text/folded_text.h"

#include <algorithm>

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMostLines = 30, kMostBytes = 8'000;

// Returns where a page that begins at `at` ends: behind its last line, or inside of a line that is too long.
std::size_t page_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (std::size_t lines = 0; lines < kMostLines && end < text.size(); ++lines) {
    const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
    if (next - at > kMostBytes) {
      if (lines > 0) return end;
      end = at + kMostBytes;
      while (end > at && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;   // not inside of a character
      return end;
    }
    end = next;
  }
  return end;
}

std::string with_end_of_line(std::string_view text) {
  std::string out(text);
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}   // namespace

std::string FoldedText::next_page() {
  const std::size_t begin = at_;
  at_ = page_end(text_, at_);
  std::string out = with_end_of_line(std::string_view(text_).substr(begin, at_ - begin));
  if (is_over()) return out;
  const auto lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), '\n') + 1;
  return out + "… " + std::to_string(lines) + (lines == 1 ? " more line, " : " more lines, ") +
         std::to_string(text_.size() - at_) + " bytes: `:more` shows the next, `:more all` shows all\n";
}

std::string FoldedText::rest() {
  const std::size_t begin = at_;
  at_ = text_.size();
  return with_end_of_line(std::string_view(text_).substr(begin));
}

}   // namespace ptcvm::cli
