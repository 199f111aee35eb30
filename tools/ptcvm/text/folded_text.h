// Long texts in pages.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ptcvm::cli {

// Hands out a text page by page. A page has at most 30 lines and about 8,000 bytes.
class FoldedText {
 public:
  FoldedText() = default;
  explicit FoldedText(std::string text) : text_(std::move(text)) {}

  // Returns the next page, or what is left, with a line feed at its end; behind a page a line says how much is left.
  std::string next_page();
  std::string rest();
  bool is_over() const { return at_ >= text_.size(); }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}   // namespace ptcvm::cli
