#include "tools/generator/form_tree.h"

namespace ptc::generator {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ','; }
bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : text_(text) { nodes_.push_back({0, text.size(), {}}); }

  // One stack of open forms: texts may be nested deeply.
  std::vector<FormNode> read() {
    std::vector<std::size_t> open{0};
    while (skip_blanks()) {
      if (closes(text_[at_])) {
        ++at_;
        if (open.size() == 1) continue;
        nodes_[open.back()].end = at_;
        open.pop_back();
        continue;
      }
      const std::size_t begin = at_;
      skip_prefix();
      const std::size_t node = nodes_.size();
      nodes_[open.back()].parts.push_back(node);
      nodes_.push_back({begin, text_.size(), {}});
      if (at_ < text_.size() && opens(text_[at_])) {
        ++at_;
        open.push_back(node);
      } else {
        skip_atom();
        if (at_ == begin) ++at_;
        nodes_[node].end = at_;
      }
    }
    return std::move(nodes_);
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') {
        at_ = text_.find('\n', at_);
        if (at_ == std::string_view::npos) at_ = text_.size();
      } else if (is_blank(text_[at_])) {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  // #, #_, #' and #tag belong to the form behind them.
  void skip_prefix() {
    if (text_[at_] != '#') return;
    while (at_ < text_.size() && !is_blank(text_[at_]) && !opens(text_[at_]) && !closes(text_[at_]) &&
           text_[at_] != '"') {
      ++at_;
    }
    const std::size_t end = at_;
    if (skip_blanks() && (text_[at_] == '"' || opens(text_[at_]))) return;
    at_ = end;
  }

  void skip_atom() {
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
      at_ = at_ < text_.size() ? at_ + 1 : text_.size();
      return;
    }
    if (at_ < text_.size() && text_[at_] == '\\') at_ = at_ + 2 < text_.size() ? at_ + 2 : text_.size();
    while (at_ < text_.size() && !is_blank(text_[at_]) && !opens(text_[at_]) && !closes(text_[at_]) &&
           text_[at_] != '"' && text_[at_] != ';') {
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<FormNode> nodes_;
};

}  // namespace

std::vector<FormNode> form_tree(std::string_view text) { return TreeReader(text).read(); }

}  // namespace ptc::generator
