#include "tools/ptcvm/formatter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "compiler/read/tokens.h"
#include "schema/ascii.h"
#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

struct Token {
  enum class Kind { Open, Close, Atom, Discard, Comment } kind;
  std::string_view text;
  int newlines_before = 0;
};

// Takes text apart where the reader does (compiler/read/tokens.h).
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  bool next(Token& token) {
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

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token::Kind scan() {
    switch (text_[at_]) {
      case '(':
      case '[':
      case '{': ++at_; return Token::Kind::Open;
      case ')':
      case ']':
      case '}': ++at_; return Token::Kind::Close;
      case ';':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return Token::Kind::Comment;
      case '"': string(); return Token::Kind::Atom;
      case '\\': character(); return Token::Kind::Atom;
      case '#': return dispatch();
      default: word(); return Token::Kind::Atom;
    }
  }

  Token::Kind dispatch() {
    switch (peek(1)) {
      case '(':
      case '{': at_ += 2; return Token::Kind::Open;
      case '_': at_ += 2; return Token::Kind::Discard;
      case '"':
        ++at_;
        string();
        return Token::Kind::Atom;
      case '\'':
        at_ += 2;
        name();
        return Token::Kind::Atom;
      default: run(2); return Token::Kind::Atom;
    }
  }

  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  void character() {
    ++at_;
    if (at_ < text_.size()) run(ptc::utf8_decode(rest()).length);
  }

  void word() {
    const char next = peek(1);
    const bool is_number = ptc::is_digit(text_[at_]) || (text_[at_] == '-' && ptc::is_digit(next));
    if (is_number || !ptc::is_symbol_start(text_[at_])) {
      run(1);
    } else {
      name();
    }
  }

  // Those bytes, and all up to a delimiter.
  void run(std::size_t bytes) {
    at_ = std::min(at_ + bytes, text_.size());
    at_ += ptc::run_length(rest());
  }

  void name() {
    while (at_ < text_.size() && ptc::is_symbol_part(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Forms whose further lines are a body, two columns in from the parenthesis.
bool has_body(std::string_view head) {
  static constexpr auto kHeads = std::to_array<std::string_view>(
      {"as->", "case", "comment", "cond", "cond->", "cond->>", "condp", "def", "defn", "defonce", "do", "doseq", "fn",
       "for", "if", "if-let", "if-not", "if-some", "let", "loop", "task", "when", "when-first", "when-let", "when-not",
       "when-some"});
  return std::binary_search(kHeads.begin(), kHeads.end(), head);
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class Formatter {
 public:
  std::string run(std::string_view source) {
    Tokenizer tokens(source);
    Token token;
    while (tokens.next(token)) {
      separate(token);
      put(token);
    }
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

 private:
  struct Open {
    bool is_list;
    std::size_t column;             // the column of the delimiter itself, without a leading #
    std::size_t elements = 0;
    std::string_view head;
    std::size_t argument_column = 0;   // the column of the first argument when it is on the line of the head; else 0
  };

  std::size_t indent() const {
    if (open_.empty()) return 0;
    const Open& open = open_.back();
    if (!open.is_list || open.elements == 0) return open.column + 1;
    if (has_body(open.head)) return open.column + 2;
    return open.argument_column > 0 ? open.argument_column : open.column + 1;
  }

  void separate(const Token& token) {
    if (out_.empty()) return;
    if (token.kind == Token::Kind::Close) {
      if (last_ == Token::Kind::Comment) break_line(1);
      return;
    }
    if (last_ == Token::Kind::Comment) {
      break_line(std::max(token.newlines_before, 1));
    } else if (last_ == Token::Kind::Open || last_ == Token::Kind::Discard) {
      if (token.kind == Token::Kind::Comment && token.newlines_before > 0) break_line(1);
    } else if (token.newlines_before > 0) {
      break_line(token.newlines_before);
    } else {
      append(" ");
    }
  }

  void break_line(int newlines) {
    out_.append(static_cast<std::size_t>(std::min(newlines, 2)), '\n');
    column_ = indent();
    out_.append(column_, ' ');
    on_head_line_ = false;
  }

  void append(std::string_view text) {
    out_ += text;
    const std::size_t newline = text.rfind('\n');
    column_ = newline == std::string_view::npos ? column_ + columns_of(text) : columns_of(text.substr(newline + 1));
  }

  void put(const Token& token) {
    if (token.kind == Token::Kind::Close) {
      append(token.text);
      if (!open_.empty()) open_.pop_back();
      on_head_line_ = false;
    } else {
      if (token.kind != Token::Kind::Comment && last_ != Token::Kind::Discard) count_element(token);
      append(token.kind == Token::Kind::Comment ? without_trailing_blanks(token.text) : token.text);
      if (token.kind == Token::Kind::Open) {
        open_.push_back({token.text.back() == '(', column_ - 1, 0, {}, 0});
        on_head_line_ = true;
      }
    }
    last_ = token.kind;
  }

  void count_element(const Token& token) {
    if (open_.empty()) return;
    Open& open = open_.back();
    if (open.elements == 0) {
      open.head = token.text;
      on_head_line_ = token.kind == Token::Kind::Atom;
    } else if (open.elements == 1 && on_head_line_) {
      open.argument_column = column_;
    }
    ++open.elements;
  }

  static std::string_view without_trailing_blanks(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
  }

  std::string out_;
  std::size_t column_ = 0;
  std::vector<Open> open_;
  Token::Kind last_ = Token::Kind::Open;
  bool on_head_line_ = false;      // only the head of the innermost list was written since it opened
};

}  // namespace

std::string format_source(std::string_view source) { return Formatter().run(source); }

}  // namespace ptcvm::cli
