// The reader: one pass over the text with a stack of open delimiters. See reader.h.
#include "compiler/read/reader.h"

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "compiler/read/cursor.h"
#include "compiler/read/marked_syntax.h"
#include "compiler/read/token_errors.h"
#include "compiler/read/tokens.h"

namespace ptc {
namespace {

struct OpenForm {
  Form* form = nullptr;          // null: the top level
  std::string_view opener;
  char closer = '\0';
  std::uint32_t discards = 0;    // #_ marks that wait for their form
  SourceSpan discard_span;
};

constexpr std::size_t kQuotedBytes = 40;   // a message quotes so much of a token

std::string position_text(SourceSpan at) {
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

std::string_view delimiter_word(char closer) {
  return closer == ')' ? "parentheses" : closer == ']' ? "brackets" : "braces";
}

// Returns whether there is no form behind a closing bracket: only a few more, and white space. Without the bound a text
// of brackets would be read once for each of them.
bool nothing_follows(std::string_view rest) {
  constexpr std::size_t kMostBytes = 256;
  return rest.size() <= kMostBytes && rest.find_first_not_of(" \t\r\n,)]}") == std::string_view::npos;
}

class Reader {
 public:
  Reader(std::string_view text, FormArena& arena, std::uint32_t max_depth)
      : cursor_(text), arena_(arena), max_depth_(max_depth) {}

  ReadResult run() {
    open_.push_back({});
    while (!result_.failed) {
      skip_blanks();
      if (cursor_.at_end()) break;
      read_token();
    }
    if (!result_.failed) finish();
    return std::move(result_);
  }

 private:
  void fail(SourceSpan span, std::string message, std::string_view hint = {}) {
    if (result_.failed) return;
    result_.failed = true;
    result_.error = {FaultKind::ParseError, std::move(message), std::string(hint), span};
  }

  // Fails for the token since `start`, or for a character in it that nobody sees.
  void fail_token(SourceSpan start, std::string_view what, std::string_view hint) {
    auto hidden = hidden_character(cursor_.slice(start.begin), start);
    if (hidden) return fail(hidden->span, std::move(hidden->message), kHiddenHint);
    fail(cursor_.span_from(start), std::string(what).append(" '").append(quoted(start)), hint);
  }

  // The text since `start` and a closing quote, clipped.
  std::string quoted(SourceSpan start) const {
    return std::string(clip_utf8(cursor_.slice(start.begin), kQuotedBytes)) + "'";
  }

  void skip_blanks() {
    while (!cursor_.at_end()) {
      if (cursor_.peek() == ';') {
        while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.advance();
      } else if (blank_length(cursor_.rest()) > 0) {
        cursor_.advance();
      } else {
        return;
      }
    }
  }

  void finish() {
    if (open_.size() > 1) {
      const OpenForm& open = open_.back();
      SourceSpan at = open.form->span;
      at.end = at.begin + static_cast<std::uint32_t>(open.opener.size());
      fail(at, "unclosed '" + std::string(open.opener) + "' opened at " + position_text(at),
           "Add the missing '" + std::string(1, open.closer) + "'");
      result_.incomplete = true;
      return;
    }
    check_discards(open_.back());
    result_.incomplete = result_.failed;
  }

  void check_discards(const OpenForm& open) {
    if (open.discards > 0) fail(open.discard_span, "#_ has no form to discard");
  }

  void add(const Form* form) {
    OpenForm& parent = open_.back();
    if (parent.discards > 0) {
      --parent.discards;
    } else if (parent.form != nullptr) {
      parent.form->items.push_back(form);
    } else {
      result_.forms.push_back(form);
    }
  }

  Form* add_atom(FormKind kind, SourceSpan start) {
    Form* form = arena_.make(kind, cursor_.span_from(start));
    add(form);
    return form;
  }

  void open_form(FormKind kind, std::string_view opener, char closer) {
    const SourceSpan start = cursor_.span();
    cursor_.advance_bytes(opener.size());
    if (open_.size() > max_depth_) {
      return fail(cursor_.span_from(start),
                  "forms nested deeper than " + std::to_string(max_depth_) + " levels",
                  "Split the expression with let or defn");
    }
    open_.push_back({arena_.make(kind, start), opener, closer, 0, {}});
  }

  void close_form(char closer) {
    const SourceSpan start = cursor_.span();
    cursor_.advance();
    OpenForm open = open_.back();
    check_discards(open);
    if (result_.failed) return;
    if (open.form == nullptr) {
      return fail(cursor_.span_from(start),
                  "unbalanced " + std::string(delimiter_word(closer)) + ": extra '" + closer + "' at " +
                      position_text(start),
                  nothing_follows(cursor_.rest()) ? "Remove it: every form is closed before it, and nothing follows"
                                                  : "Remove it, or add the opening delimiter that it should close");
    }
    if (open.closer != closer) {
      return fail(cursor_.span_from(start),
                  std::string("unexpected '") + closer + "', expected '" + open.closer + "' to close '" +
                      std::string(open.opener) + "' opened at " + position_text(open.form->span));
    }
    open_.pop_back();
    open.form->span = cursor_.span_from(open.form->span);
    if (open.form->kind == FormKind::Map && open.form->items.size() % 2 != 0) {
      return fail(open.form->span,
                  "Map literal requires even number of forms, got " + std::to_string(open.form->items.size()),
                  "Maps are {key value key value}");
    }
    add(open.form);
  }

  void read_token() {
    const char c = cursor_.peek();
    switch (c) {
      case '(': return open_form(FormKind::List, "(", ')');
      case '[': return open_form(FormKind::Vector, "[", ']');
      case '{': return open_form(FormKind::Map, "{", '}');
      case ')': case ']': case '}': return close_form(c);
      case '"': return read_string(cursor_.span(), 1, FormKind::String);
      case ':': return read_keyword();
      case '\\': return read_character();
      case '#': return read_dispatch();
      default: break;
    }
    const char next = cursor_.peek(1);
    if ((c >= '0' && c <= '9') || (c == '-' && next >= '0' && next <= '9')) return read_number();
    if (is_symbol_start(c)) return read_symbol();
    refuse();
  }

  void read_dispatch() {
    switch (cursor_.peek(1)) {
      case '(': return open_form(FormKind::Lambda, "#(", ')');
      case '{': return open_form(FormKind::Set, "#{", '}');
      case '"': return read_string(cursor_.span(), 2, FormKind::Regex);
      case '_': return read_discard();
      case '#': return read_special_number();
      case '\'': return read_var_quote();
      default: return read_tagged();
    }
  }

  void read_tagged() {
    std::uint32_t length = 1;
    while (is_symbol_part(cursor_.peek(length))) ++length;
    for (const LiteralTag& tag : kTags) {
      if (cursor_.rest().substr(0, length) != tag.name) continue;
      const SourceSpan start = cursor_.span();
      cursor_.advance_bytes(length);
      skip_blanks();
      if (cursor_.peek() == '"') return read_string(start, 1, tag.kind);
      fail(cursor_.span_from(start), std::string(tag.name) + " must be followed by a string", tag.example);
      result_.incomplete = cursor_.at_end();
      return;
    }
    refuse();
  }

  void read_discard() {
    const SourceSpan start = cursor_.span();
    cursor_.advance_bytes(2);
    OpenForm& parent = open_.back();
    ++parent.discards;
    parent.discard_span = cursor_.span_from(start);
  }

  void read_special_number() {
    const SourceSpan start = cursor_.span();
    cursor_.advance_bytes(2);
    cursor_.advance_bytes(run_length(cursor_.rest()));
    const std::string_view token = cursor_.slice(start.begin);
    double value = 0;
    if (token == "##Inf") {
      value = std::numeric_limits<double>::infinity();
    } else if (token == "##-Inf") {
      value = -std::numeric_limits<double>::infinity();
    } else if (token == "##NaN") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      return fail(cursor_.span_from(start), "unknown symbolic value '" + std::string(token) + "'",
                  "Known: ##Inf, ##-Inf, ##NaN");
    }
    add_atom(FormKind::Float, start)->real = value;
  }

  void read_var_quote() {
    const SourceSpan start = cursor_.span();
    cursor_.advance_bytes(2);
    const std::uint32_t name = cursor_.offset();
    if (!is_symbol_start(cursor_.peek())) {
      return fail(cursor_.span_from(start), "#' must be followed by a name", "#'name is the value of name");
    }
    while (is_symbol_part(cursor_.peek())) cursor_.advance();
    std::string text(cursor_.slice(name));
    add_atom(FormKind::VarQuote, start)->text = std::move(text);
  }

  void read_number() {
    const SourceSpan start = cursor_.span();
    cursor_.advance_bytes(run_length(cursor_.rest()));
    const std::string_view token = cursor_.slice(start.begin);
    NumberToken number = parse_number(token);
    switch (number.kind) {
      case NumberToken::Kind::Malformed: return fail_token(start, "malformed number", number_hint(token));
      case NumberToken::Kind::TooLong:
        return fail(cursor_.span_from(start),
                    "integer literal longer than " + std::to_string(kMaxIntegerDigits) + " digits");
      case NumberToken::Kind::Int: add_atom(FormKind::Int, start)->text = std::move(number.digits); return;
      case NumberToken::Kind::Float: add_atom(FormKind::Float, start)->real = number.real; return;
    }
  }

  void read_symbol() {
    const SourceSpan start = cursor_.span();
    while (is_symbol_part(cursor_.peek())) cursor_.advance();
    const std::string_view token = cursor_.slice(start.begin);
    FormKind kind = FormKind::Symbol;
    if (token == "nil") kind = FormKind::Nil;
    if (token == "true") kind = FormKind::True;
    if (token == "false") kind = FormKind::False;
    if (kind != FormKind::Symbol && !at_delimiter(cursor_.rest())) {
      cursor_.advance_bytes(run_length(cursor_.rest()));
      return fail_token(start, "malformed literal", "nil, true and false need a blank or a delimiter after them");
    }
    std::string text(kind == FormKind::Symbol ? token : std::string_view());
    add_atom(kind, start)->text = std::move(text);
  }

  void read_keyword() {
    const SourceSpan start = cursor_.span();
    cursor_.advance();
    const std::uint32_t name = cursor_.offset();
    while (is_keyword_part(cursor_.peek())) cursor_.advance();
    const std::string_view token = cursor_.slice(name);
    if (token.empty() || !at_delimiter(cursor_.rest())) return fail_keyword(start);
    std::string text(token);
    add_atom(FormKind::Keyword, start)->text = std::move(text);
  }

  void fail_keyword(SourceSpan start) {
    cursor_.advance_bytes(run_length(cursor_.rest()));
    fail_token(start, "malformed keyword", keyword_hint(cursor_.slice(start.begin)));
  }

  void read_character() {
    const SourceSpan start = cursor_.span();
    cursor_.advance();
    if (cursor_.at_end()) {
      fail(cursor_.span_from(start), "a backslash must be followed by a character");
      result_.incomplete = true;
      return;
    }
    const std::uint32_t name = cursor_.offset();
    cursor_.advance();
    cursor_.advance_bytes(run_length(cursor_.rest()));
    std::string text;
    if (!parse_character(cursor_.slice(name), text)) {
      return fail_token(start, "malformed character",
                  "A character is \\a, \\newline, \\space, \\tab, \\return, \\backspace, \\formfeed, \\uXXXX "
                  "or \\oNNN");
    }
    add_atom(FormKind::String, start)->text = std::move(text);
  }

  // Reads the form that begins at `start`. `prefix` counts the bytes from the cursor up to and with the opening quote.
  void read_string(SourceSpan start, std::size_t prefix, FormKind kind) {
    cursor_.advance_bytes(prefix);
    const SourceSpan opening = cursor_.span_from(start);
    const std::uint32_t body = cursor_.offset();
    while (!cursor_.at_end() && cursor_.peek() != '"') {
      if (cursor_.peek() == '\\') {
        const SourceSpan escape = cursor_.span();
        cursor_.advance();
        if (cursor_.peek() == '\n' || cursor_.peek() == '\r') {
          return fail(cursor_.span_from(escape), "a backslash before a line break in a string literal",
                      "Remove the backslash: strings may span lines");
        }
        if (cursor_.at_end()) break;
      }
      cursor_.advance();
    }
    if (cursor_.at_end()) {
      fail(opening,
           std::string("unclosed ") + (kind == FormKind::Regex ? "regex" : "string") + " opened at " +
               position_text(opening),
           "Add the missing '\"'");
      result_.incomplete = true;
      return;
    }
    std::string text = decode_string(cursor_.slice(body), kind == FormKind::Regex);
    cursor_.advance();
    add_atom(kind, start)->text = std::move(text);
  }

  // The text at the cursor begins no form of the language.
  void refuse() {
    const SourceSpan start = cursor_.span();
    for (const RefusedSyntax& refused : kRefused) {
      if (!cursor_.rest().starts_with(refused.prefix)) continue;
      cursor_.advance_bytes(refused.prefix.size());
      return fail(cursor_.span_from(start), std::string(refused.message), refused.hint);
    }
    if (cursor_.peek() == '#') {
      cursor_.advance();
      while (is_symbol_part(cursor_.peek())) cursor_.advance();
      return fail(cursor_.span_from(start), "unknown reader syntax '" + quoted(start),
                  "Known: #{set}, #(lambda), #\"regex\", #date, #inst, #duration, #'name, #_ (discard), ##Inf, "
                  "##-Inf, ##NaN");
    }
    cursor_.advance();
    const std::string character(cursor_.slice(start.begin));
    const bool quote =
        character == "\u201c" || character == "\u201d" || character == "\u2018" || character == "\u2019";
    fail_token(start, "unexpected character",
               quote ? "Write straight quotes: \"text\""
               : "Names are made of ASCII letters, digits and + - * / < > = ? ! _ % . &");
  }

  Cursor cursor_;
  FormArena& arena_;
  std::uint32_t max_depth_;
  std::vector<OpenForm> open_;
  ReadResult result_;
};

ReadResult refuse_text(std::string_view text, std::size_t offset) {
  Cursor cursor(text.substr(0, offset));
  while (!cursor.at_end()) cursor.advance();
  ReadResult result;
  result.failed = true;
  result.error = {FaultKind::ParseError, "the text is not valid UTF-8", "", cursor.span()};
  return result;
}

}  // namespace

ReadResult read_forms(std::string_view text, FormArena& arena, std::uint32_t max_depth) {
  if (text.size() > kMaxSourceBytes) {
    std::string message = "a program of more than " + std::to_string(kMaxSourceBytes) + " bytes, which is the most";
    const std::string hint = "Give large values to the program as data/ or memory";
    return {{}, true, {FaultKind::ParseError, std::move(message), hint, {0, 0, 1, 1}}, false};
  }
  if (const std::size_t bad = find_malformed_utf8(text); bad != std::string_view::npos)
    return refuse_text(text, bad);
  return Reader(text, arena, max_depth).run();
}

}  // namespace ptc
