// Lays out the text of forms for people: what does not fit on a line is broken after its parts.
#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kShort = 16;

class Layout {
 public:
  explicit Layout(std::string_view text) : text_(text) {}

  Text write() {
    while (skip_blanks() && !closes(text_[at_])) {
      if (!out_.empty()) out_ += '\n';
      write_form(0);
    }
    return std::move(out_);
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size();
  }

  static bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
  static bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

  std::size_t end_of_string(std::size_t at) const { return text_.find('"', at + 1) + 1; }

  // One past the form that begins there.
  std::size_t end_of_form(std::size_t at) const {
    std::size_t depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"') {
        at = end_of_string(at);
        if (depth == 0) return at;
        continue;
      }
      if (depth == 0 && (c == ' ' || c == '\n' || closes(c))) return at;
      if (opens(c)) ++depth;
      ++at;
      if (closes(c) && --depth == 0) return at;
    }
    return at;
  }

  bool is_short_atom() const { return !opens(text_[at_]) && end_of_form(at_) - at_ <= kShort; }

  void write_form(std::size_t indent) {
    const std::size_t end = end_of_form(at_);
    const std::string_view form = text_.substr(at_, end - at_);
    const std::size_t open = form.find_first_of("([{");
    if (indent + form.size() <= kColumns || open > 1 || form.front() == '"') {
      out_ += form;
      at_ = end;
      return;
    }
    out_ += form.substr(0, open + 1);
    at_ += open + 1;
    const bool is_list = form[open] == '(';
    const std::size_t inner = indent + (is_list ? 2 : open + 1);
    bool after_name = false;       // [name value …], {key value …}
    for (unsigned part = 0; skip_blanks() && !closes(text_[at_]); ++part) {
      const bool is_short = is_short_atom();
      const bool same_line = is_list ? part == 1 && is_short : part % 2 == 1 && after_name;
      if (part > 0) out_ += same_line ? " " : '\n' + Text(inner, ' ');
      write_form(inner);
      after_name = is_short;
    }
    out_ += text_[at_++];
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Text out_;
};

}  // namespace

Text laid_out(std::string_view form) { return Layout(form).write(); }

}  // namespace ptc::generator
