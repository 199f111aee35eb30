// Source text as tokens, where the reader takes it apart (compiler/read/tokens.h): for layout and for colours.
#pragma once
#include <cstddef>
#include <string_view>

namespace ptcvm::cli {

struct SourceToken {
  enum class Kind { Open, Close, Atom, Discard, Comment };
  Kind kind = Kind::Atom;
  std::string_view text;           // a part of the source
  int newlines_before = 0;
};

// Hands out one token after another. Any text has tokens, also text that the reader refuses.
class SourceTokens {
 public:
  explicit SourceTokens(std::string_view text) : text_(text) {}

  // Returns false at the end of the text.
  bool next(SourceToken& token);

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  SourceToken::Kind scan();
  SourceToken::Kind dispatch();
  void string();
  void character();
  void word();
  void run(std::size_t bytes);     // takes those bytes, and all up to a delimiter
  void name();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace ptcvm::cli
