#include "compiler/bracket_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/read/reader.h"

namespace ptc {
namespace {

// A longer text is not looked through, and no more places are tried: hints cost little, whatever the text is.
constexpr std::size_t kMostBytes = 64 * 1024;
constexpr std::size_t kMostTries = 32;

struct OpenBracket {
  char closer;
  std::size_t begin = 0;                 // offset in bytes
  std::uint32_t line = 1, column = 1;
  std::uint32_t line_indent = 1;         // column of the first token of its line
  bool is_last = true;                   // nothing follows it in its line
};

// Brackets that belong at the end of a line, because the next line is not indented as their content.
struct Place {
  std::size_t offset = 0;                // behind the last token of the line
  std::uint32_t line = 1;
  std::uint32_t next_line = 1;           // 0: the text ends
  std::string closers;
  OpenBracket outermost;                 // the outermost that is closed there
};

// Goes through the text once, and collects places, and where forms of the top level end before an indented line.
class Indentation {
 public:
  explicit Indentation(std::string_view text) : text_(text) { scan(); }

  const std::vector<Place>& places() const { return places_; }
  // The place behind a form of the top level whose next line is indented as its content, or nullopt.
  struct EarlyEnd {
    std::size_t closer = 0;              // offset of the bracket that ends the form
    std::uint32_t line = 1, opened = 1;  // lines: where the bracket is, and where the form begins
  };
  const std::optional<EarlyEnd>& early_end() const { return early_end_; }

 private:
  static constexpr std::string_view kBlanks = " \t\r,";

  void scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        next_line();
      } else if (kBlanks.find(c) != std::string_view::npos) {
        step(1);
      } else if (c == ';') {
        skip_to_line_end();
      } else {
        token(c);
      }
    }
    end_of_text();
  }

  // Whatever is open belongs behind the last token.
  void end_of_text() {
    if (open_.empty()) return;
    std::string closers;
    for (std::size_t i = open_.size(); i-- > 0;) closers += open_[i].closer;
    places_.push_back({end_, end_line_, 0, closers, open_.front()});
  }

  void token(char c) {
    const bool is_closer = c == ')' || c == ']' || c == '}';
    if (is_first_) begin_line(is_closer);
    for (OpenBracket& open : open_) {
      if (open.line == line_) open.is_last = false;
    }
    if (is_closer) {
      close();
    } else if (c == '(' || c == '[' || c == '{') {
      if (open_.empty()) opened_line_ = line_;
      open_.push_back({c == '(' ? ')' : c == '[' ? ']' : '}', at_, line_, column_, indent_, true});
      step(1);
    } else if (c == '"') {
      skip_string();
    } else {
      step(c == '\\' && at_ + 1 < text_.size() ? 2 : 1);
    }
    end_ = at_;
    end_line_ = line_;
  }

  // Looks at the first token of a line: what is open and not left of the token should have been closed before.
  void begin_line(bool is_closer) {
    is_first_ = false;
    indent_ = column_;
    if (is_closer) return;
    if (open_.empty() && column_ > 1 && last_end_ && !early_end_) early_end_ = last_end_;
    std::string closers;
    for (std::size_t i = open_.size(); i-- > 0;) {
      const OpenBracket& open = open_[i];
      if (column_ > (open.is_last ? open.line_indent : open.column)) break;
      closers += open.closer;
      if (places_.size() < kMostTries) places_.push_back({end_, end_line_, line_, closers, open});
    }
  }

  void close() {
    const auto opened = std::find_if(open_.rbegin(), open_.rend(),
                                     [this](const OpenBracket& open) { return open.closer == text_[at_]; });
    if (opened != open_.rend()) {
      open_.erase(std::prev(opened.base()), open_.end());
      if (open_.empty()) last_end_ = EarlyEnd{at_, line_, opened_line_};
    }
    step(1);
  }

  void skip_string() {
    step(1);
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) step(1);
      if (text_[at_] == '\n') {
        ++line_;
        column_ = 0;
      }
      step(1);
    }
    step(1);
  }

  void next_line() {
    ++line_;
    column_ = 1;
    ++at_;
    is_first_ = true;
  }

  void skip_to_line_end() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void step(std::size_t bytes) {
    at_ = std::min(at_ + bytes, text_.size());
    column_ += static_cast<std::uint32_t>(bytes);
  }

  std::string_view text_;
  std::size_t at_ = 0, end_ = 0;                       // end_: behind the last token
  std::uint32_t line_ = 1, column_ = 1, indent_ = 1, end_line_ = 1, opened_line_ = 1;
  bool is_first_ = true;
  std::vector<OpenBracket> open_;
  std::vector<Place> places_;
  std::optional<EarlyEnd> last_end_, early_end_;
};

bool can_be_read(const std::string& text) {
  FormArena arena;
  return !read_forms(text, arena).failed;
}

bool is_about_brackets(const CompileError& error) {
  return error.kind == FaultKind::ParseError &&
         (error.message.starts_with("unclosed '") || error.message.starts_with("unbalanced ") ||
          error.message.starts_with("unexpected '"));
}

std::string place_hint(const Place& place) {
  const std::string line = std::to_string(place.line);
  std::string text = "Add the missing '" + place.closers + "' at the end of line " + line;
  if (place.next_line == 0) return text;
  return text + ": line " + std::to_string(place.next_line) +
         " is not indented as a part of the form that is opened at line " +
         std::to_string(place.outermost.line);
}

}  // namespace

std::string bracket_hint(std::string_view source, const CompileError& error) {
  if (!is_about_brackets(error) || source.size() > kMostBytes) return "";
  const Indentation indentation(source);
  for (const Place& place : indentation.places()) {
    std::string mended(source.substr(0, place.offset));
    mended.append(place.closers).append(source.substr(place.offset));
    if (can_be_read(mended)) return place_hint(place);
  }
  const auto& early = indentation.early_end();
  if (!error.message.starts_with("unbalanced ") || !early) return "";
  std::string mended(source);
  mended[early->closer] = ' ';
  if (!can_be_read(mended)) return "";
  return "Remove the '" + std::string(1, source[early->closer]) + "' at the end of line " +
         std::to_string(early->line) + ": it ends the form that is opened at line " + std::to_string(early->opened) +
         ", and the next line is indented as a part of it";
}

}  // namespace ptc
