#include "tools/ptcvm/source/source_tokens.h"

#include <algorithm>

#include "compiler/read/tokens.h"
#include "schema/ascii.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {

bool SourceTokens::next(SourceToken& token) {
  int newlines = 0;
  for (std::size_t blank = 0; (blank = ptc::blank_length(rest())) > 0; at_ += blank) {
    newlines += text_[at_] == '\n' ? 1 : 0;
  }
  if (at_ == text_.size()) return false;
  const std::size_t begin = at_;
  token.kind = scan();
  at_ = std::min(at_, text_.size());
  token.text = text_.substr(begin, at_ - begin);
  token.newlines_before = newlines;
  return true;
}

SourceToken::Kind SourceTokens::scan() {
  switch (text_[at_]) {
    case '(':
    case '[':
    case '{':
      ++at_;
      return SourceToken::Kind::Open;
    case ')':
    case ']':
    case '}':
      ++at_;
      return SourceToken::Kind::Close;
    case ';':
      at_ = std::min(text_.find('\n', at_), text_.size());
      return SourceToken::Kind::Comment;
    case '"':
      string();
      return SourceToken::Kind::Atom;
    case '\\':
      character();
      return SourceToken::Kind::Atom;
    case '#':
      return dispatch();
    default:
      word();
      return SourceToken::Kind::Atom;
  }
}

SourceToken::Kind SourceTokens::dispatch() {
  switch (peek(1)) {
    case '(':
    case '{':
      at_ += 2;
      return SourceToken::Kind::Open;
    case '_':
      at_ += 2;
      return SourceToken::Kind::Discard;
    case '"':
      ++at_;
      string();
      return SourceToken::Kind::Atom;
    case '\'':
      at_ += 2;
      name();
      return SourceToken::Kind::Atom;
    default:
      run(2);
      return SourceToken::Kind::Atom;
  }
}

void SourceTokens::string() {
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\') ++at_;
  }
  ++at_;
}

void SourceTokens::character() {
  ++at_;
  if (at_ < text_.size()) run(ptc::utf8_decode(rest()).length);
}

void SourceTokens::word() {
  const char next = peek(1);
  const bool is_number = ptc::is_digit(text_[at_]) || (text_[at_] == '-' && ptc::is_digit(next));
  if (is_number || !ptc::is_symbol_start(text_[at_])) {
    run(1);
  } else {
    name();
  }
}

void SourceTokens::run(std::size_t bytes) {
  at_ = std::min(at_ + bytes, text_.size());
  at_ += ptc::run_length(rest());
}

void SourceTokens::name() {
  while (at_ < text_.size() && ptc::is_symbol_part(text_[at_])) ++at_;
}

}   // namespace ptcvm::cli
