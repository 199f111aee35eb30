#include "tools/ptcvm/source/formatter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tools/ptcvm/source/source_tokens.h"

namespace ptcvm::cli {
namespace {

using Token = SourceToken;

constexpr std::size_t kMostColumns = 100;

// A form whose further lines are a body, two columns in from the parenthesis.
struct BodyForm {
  std::string_view head;
  std::size_t kept;         // so many elements stay on the first line when the form is broken
  std::size_t first_pair;   // from this element on, two elements belong together; 0: they do not
};

const BodyForm* body_form(std::string_view head) {
  static constexpr auto kForms = std::to_array<BodyForm>(
      {{"as->", 3, 0},     {"case", 2, 2},   {"comment", 1, 0},    {"cond", 1, 1},     {"cond->", 2, 2},
       {"cond->>", 2, 2},  {"condp", 3, 3},  {"def", 2, 0},        {"defn", 3, 0},     {"defonce", 2, 0},
       {"do", 1, 0},       {"doseq", 2, 0},  {"fn", 2, 0},         {"for", 2, 0},      {"if", 2, 0},
       {"if-let", 2, 0},   {"if-not", 2, 0}, {"if-some", 2, 0},    {"let", 2, 0},      {"loop", 2, 0},
       {"task", 2, 0},     {"when", 2, 0},   {"when-first", 2, 0}, {"when-let", 2, 0}, {"when-not", 2, 0},
       {"when-some", 2, 0}});
  const auto found = std::ranges::lower_bound(kForms, head, {}, &BodyForm::head);
  return found != kForms.end() && found->head == head ? &*found : nullptr;
}

bool binds_names(std::string_view head) {
  static constexpr auto kHeads = std::to_array<std::string_view>(
      {"doseq", "for", "if-let", "if-some", "let", "loop", "when-first", "when-let", "when-some"});
  return std::ranges::binary_search(kHeads, head);
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_separated(Token::Kind before, Token::Kind kind) {
  return kind != Token::Kind::Close && before != Token::Kind::Open && before != Token::Kind::Discard;
}

bool is_open_string(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  if (!text.starts_with('"')) return false;
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at >= text.size();
}

// Says how wide parts of a source are when no line is broken that its author did not break.
class Widths {
 public:
  explicit Widths(const std::vector<Token>& tokens)
      : tokens_(tokens), begin_(tokens.size()), end_(tokens.size()), line_end_(tokens.size()) {
    std::vector<std::size_t> open;
    std::size_t column = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0 && is_separated(tokens[i - 1].kind, tokens[i].kind)) ++column;
      begin_[i] = column;
      column += width(i);
      end_[i] = i;
      if (tokens[i].kind == Token::Kind::Open) open.push_back(i);
      if (tokens[i].kind == Token::Kind::Close && !open.empty()) {
        end_[open.back()] = i;
        open.pop_back();
      }
    }
    for (const std::size_t unclosed : open) end_[unclosed] = tokens.size() - 1;
    for (std::size_t i = tokens.size(); i-- > 0;) {
      line_end_[i] = i + 1 == tokens.size() || ends_line(i) ? i : line_end_[i + 1];
    }
  }

  // Returns the last token of the element that begins with token i.
  std::size_t end_of(std::size_t i) const {
    while (tokens_[i].kind == Token::Kind::Discard && i + 1 < tokens_.size()) ++i;
    return end_[i];
  }
  bool is_on_one_line(std::size_t i) const { return line_end_[i] >= end_[i]; }
  // Returns the columns from token i to the end of token `last`, the brackets that close behind it, or the line.
  std::size_t columns(std::size_t i, std::size_t last) const {
    while (last + 1 < tokens_.size() && tokens_[last + 1].kind == Token::Kind::Close) ++last;
    last = std::min(last, line_end_[i]);
    return begin_[last] + width(last) - begin_[i];
  }

 private:
  std::size_t width(std::size_t i) const { return columns_of(tokens_[i].text.substr(0, tokens_[i].text.find('\n'))); }
  bool ends_line(std::size_t i) const {
    const Token& next = tokens_[i + 1];
    return tokens_[i].kind == Token::Kind::Comment || tokens_[i].text.find('\n') != std::string_view::npos ||
           (next.newlines_before > 0 && next.kind != Token::Kind::Close && is_separated(tokens_[i].kind, next.kind));
  }

  const std::vector<Token>& tokens_;
  std::vector<std::size_t> begin_, end_, line_end_;
};

class Formatter {
 public:
  explicit Formatter(std::string_view source) {
    SourceTokens tokens(source);
    for (Token token; tokens.next(token);) tokens_.push_back(token);
  }

  std::string run() {
    const Widths widths(tokens_);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      separate(i, widths);
      put(i, widths);
    }
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

  // Returns the column at which a further line begins when the source ends here.
  std::size_t next_column() {
    if (!tokens_.empty() && is_open_string(tokens_.back().text)) return 0;
    run();
    return indent();
  }

 private:
  struct Open {
    bool is_list = false;
    std::size_t column = 0;   // the column of the delimiter itself, without a leading #
    std::size_t elements = 0;
    std::string_view head;
    std::size_t argument_column = 0;   // the column of the first argument when it is on the line of the head; else 0
    bool is_broken = false;            // the form does not fit on a line: each element, or pair, gets its own
    std::size_t kept = 0;              // elements that stay on the first line of a form that is broken
    std::size_t first_pair = 0;        // as in BodyForm
    bool has_pairs = false;
    std::size_t pair_place(std::size_t element) const { return (element - first_pair) % 2; }
  };

  std::size_t indent() const {
    if (open_.empty()) return 0;
    const Open& open = open_.back();
    if (!open.is_list || open.elements == 0) return open.column + 1;
    if (body_form(open.head) != nullptr) return open.column + 2;
    return open.argument_column > 0 ? open.argument_column : open.column + 1;
  }

  void separate(std::size_t i, const Widths& widths) {
    const Token& token = tokens_[i];
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
    } else if (token.kind != Token::Kind::Comment && is_too_wide(i, widths)) {
      break_line(1);
    } else {
      append(" ");
    }
  }

  // Whether the element that begins with token i goes to a line of its own, because of the width of the lines.
  bool is_too_wide(std::size_t i, const Widths& widths) const {
    std::size_t last = widths.end_of(i);
    if (open_.empty()) return column_ + 1 + widths.columns(i, last) > kMostColumns;
    const Open& open = open_.back();
    const bool is_in_pair = open.has_pairs && open.elements >= open.first_pair;
    if (is_in_pair && open.pair_place(open.elements) == 1) return false;   // stays with its key
    if (open.is_broken && open.elements >= open.kept) return true;
    if (is_in_pair && last + 1 < tokens_.size() && tokens_[last + 1].kind != Token::Kind::Close) {
      last = widths.end_of(last + 1);
    }
    const std::size_t columns = widths.columns(i, last);
    if (column_ + 1 + columns <= kMostColumns) return false;
    if (!open.is_list || open.elements != 1) return true;
    if (body_form(open.head) != nullptr) return false;              // bindings and tests stay with their form
    return indent() < column_ && indent() + columns <= kMostColumns;
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

  void put(std::size_t i, const Widths& widths) {
    const Token& token = tokens_[i];
    if (token.kind == Token::Kind::Close) {
      append(token.text);
      if (!open_.empty()) open_.pop_back();
      on_head_line_ = false;
    } else {
      if (token.kind != Token::Kind::Comment && last_ != Token::Kind::Discard) count_element(token);
      append(token.kind == Token::Kind::Comment ? without_trailing_blanks(token.text) : token.text);
      if (token.kind == Token::Kind::Open) {
        open_.push_back(opened(i, widths));
        on_head_line_ = true;
      }
    }
    last_ = token.kind;
  }

  Open opened(std::size_t i, const Widths& widths) const {
    const std::string_view bracket = tokens_[i].text;
    Open open;
    open.is_list = bracket.back() == '(';
    open.column = column_ - 1;
    open.has_pairs = bracket == "{";
    if (bracket == "[" && !open_.empty()) open.has_pairs = open_.back().elements == 2 && binds_names(open_.back().head);
    const std::size_t begin = column_ - bracket.size();
    const bool is_filled = !open.is_list && !open.has_pairs;
    open.is_broken =
        !is_filled && widths.is_on_one_line(i) && begin + widths.columns(i, widths.end_of(i)) > kMostColumns;
    if (open.is_list) open.kept = 2;
    return open;
  }

  void count_element(const Token& token) {
    if (open_.empty()) return;
    Open& open = open_.back();
    if (open.elements == 0) {
      open.head = token.text;
      on_head_line_ = token.kind == Token::Kind::Atom;
      if (const BodyForm* const form = open.is_list ? body_form(open.head) : nullptr) {
        open.kept = form->kept;
        open.has_pairs = form->first_pair > 0;
        open.first_pair = form->first_pair;
      }
    } else if (open.elements == 1 && on_head_line_) {
      open.argument_column = column_;
    }
    ++open.elements;
  }

  static std::string_view without_trailing_blanks(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
  }

  std::vector<Token> tokens_;
  std::string out_;
  std::size_t column_ = 0;
  std::vector<Open> open_;
  Token::Kind last_ = Token::Kind::Open;
  bool on_head_line_ = false;   // only the head of the innermost list was written since it opened
};

}   // namespace

// A line that was broken changes the widths of what is around it, so the text is laid out until no line is broken any
// more. Lines are only ever broken, never joined, so that ends.
std::string format_source(std::string_view source) {
  std::string text = Formatter(source).run();
  for (;;) {
    std::string again = Formatter(text).run();
    if (again == text) return text;
    text = std::move(again);
  }
}

std::size_t next_line_column(std::string_view source) { return Formatter(source).next_column(); }

}   // namespace ptcvm::cli
