#include "tools/ptcvm/text/pretty.h"

#include <algorithm>
#include <vector>

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMaxIndent = 60;

bool is_open(char c) { return c == '[' || c == '{' || c == '('; }
bool is_close(char c) { return c == ']' || c == '}' || c == ')'; }
bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::size_t skip_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\') ++i;
  }
  return std::min(i + 1, text.size());
}

// What is known of an opening delimiter, in order of appearance: where its partner ends, and the columns between.
struct Group {
  std::size_t end, columns;
};

std::vector<Group> find_groups(std::string_view text) {
  std::vector<Group> groups;
  std::vector<std::size_t> open;
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t next = text[i] == '"' ? skip_string(text, i) : i + 1;
    if (is_open(text[i])) {
      open.push_back(groups.size());
      groups.push_back({text.size(), column});
    }
    for (std::size_t k = i; k < next; ++k) column += starts_code_point(text[k]) ? 1 : 0;
    if (is_close(text[i]) && !open.empty()) {
      Group& group = groups[open.back()];
      group = {next, column - group.columns};
      open.pop_back();
    }
    i = next;
  }
  return groups;
}

class Layout {
 public:
  Layout(std::string_view text, std::size_t width) : text_(text), width_(width), groups_(find_groups(text)) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  struct Open {
    bool is_map;
    std::size_t indent;
    std::size_t elements = 0;     // finished elements
  };

  void put(std::string_view piece) {
    out_ += piece;
    for (const char c : piece) column_ += starts_code_point(c) ? 1 : 0;
  }

  void copy_to(std::size_t end) {
    put(text_.substr(at_, end - at_));
    at_ = end;
  }

  void step() {
    const char c = text_[at_];
    if (is_open(c)) {
      open_group();
    } else if (is_close(c)) {
      copy_to(at_ + 1);
      if (!open_.empty()) open_.pop_back();
    } else if (c == ' ') {
      separate();
    } else {
      copy_token();
    }
  }

  void open_group() {
    const Group& group = groups_[group_];
    if (column_ + group.columns <= width_) {
      while (group_ < groups_.size() && starts_inside(group.end)) ++group_;
      copy_to(group.end);
      return;
    }
    const bool is_map = text_[at_] == '{' && (at_ == 0 || text_[at_ - 1] != '#');
    copy_to(at_ + 1);
    ++group_;
    open_.push_back({is_map, std::min(column_, kMaxIndent)});
  }

  // Whether the next group lies inside of the text before `end`.
  bool starts_inside(std::size_t end) const { return groups_[group_].end <= end; }

  void separate() {
    ++at_;
    if (open_.empty() || after_tag_) {
      put(" ");
      after_tag_ = false;
      return;
    }
    Open& open = open_.back();
    ++open.elements;
    if (open.is_map && open.elements % 2 == 1) {
      put(" ");
      return;
    }
    out_ += '\n';
    out_.append(open.indent, ' ');
    column_ = open.indent;
  }

  void copy_token() {
    std::size_t end = at_;
    if (text_[at_] == '"') {
      end = skip_string(text_, at_);
    } else {
      while (end < text_.size() && text_[end] != ' ' && !is_open(text_[end]) && !is_close(text_[end]) &&
             text_[end] != '"') {
        ++end;
      }
    }
    const std::string_view token = text_.substr(at_, end - at_);
    // A tag belongs to the element after it: no line break in between.
    after_tag_ = token.size() > 1 && token[0] == '#' && token[1] != '#' && end < text_.size() && text_[end] == ' ';
    copy_to(end);
  }

  std::string_view text_;
  std::size_t width_;
  std::vector<Group> groups_;
  std::size_t group_ = 0;       // the next group to be met
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  bool after_tag_ = false;
  std::vector<Open> open_;
  std::string out_;
};

}  // namespace

std::string pretty_edn(std::string_view edn, std::size_t width) { return Layout(edn, width).run(); }

}  // namespace ptcvm::cli
