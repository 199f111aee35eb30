#include "agents/chain/risk/shell_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ptcvm::chain {

namespace {

constexpr int kMostNesting = 20;   // of commands in commands; people write two or three

class ShellReader {
 public:
  explicit ShellReader(std::string_view line, int depth = 0) : line_(line), depth_(depth) {}

  std::vector<SimpleCommand> read() {
    while (at_ < line_.size()) read_character();
    end_command();
    return std::move(commands_);
  }

 private:
  void read_character() {
    const char c = line_[at_++];
    switch (c) {
      case ' ': case '\t': return end_word();
      case ';': case '&': case '|': case '\n': case ')': return end_command();
      case '(':
        end_command();
        return read_nested();
      case '>': return begin_file();
      case '<': return end_word();
      case '\'': return read_single_quotes();
      case '"': return read_double_quotes();
      case '\\':
        if (at_ < line_.size()) add(line_[at_++]);
        return;
      case '$': return read_dollar();
      case '`': return read_backticks();
      case '*': case '?': case '[':
        mark_unknown();
        return add(c);
      case '{':
        if (brace_ == std::string::npos) brace_ = word_.text.size();
        return add(c);
      default: break;
    }
    const bool is_list = c == ',' || (c == '.' && word_.text.ends_with('.'));
    if (is_list && brace_ != std::string::npos) mark_unknown(brace_);
    add(c);
  }

  void add(char c) {
    word_.text += c;
    has_word_ = true;
  }

  void mark_unknown(std::size_t from = std::string::npos) {
    if (!word_.is_unknown) word_.known = word_.text.substr(0, from);
    word_.is_unknown = true;
  }

  void read_single_quotes() {
    has_word_ = true;
    while (at_ < line_.size() && line_[at_] != '\'') word_.text += line_[at_++];
    ++at_;
  }

  void read_double_quotes() {
    has_word_ = true;
    while (at_ < line_.size() && line_[at_] != '"') {
      const char c = line_[at_++];
      if (c == '$') {
        read_dollar();
      } else if (c == '`') {
        read_backticks();
      } else {
        word_.text += c == '\\' && at_ < line_.size() ? line_[at_++] : c;
      }
    }
    ++at_;
  }

  // Behind a dollar sign: a variable, or a command whose output is a part of the word.
  void read_dollar() {
    mark_unknown();
    add('$');
    if (at_ >= line_.size() || line_[at_] != '(') return;
    ++at_;
    SimpleCommand outer = std::exchange(command_, {});
    ShellWord word = std::exchange(word_, {});
    const bool is_file = std::exchange(is_file_, false);
    const std::size_t brace = std::exchange(brace_, std::string::npos);
    has_word_ = false;
    read_nested();
    command_ = std::move(outer);
    word_ = std::move(word);
    brace_ = brace;
    is_file_ = is_file;
    has_word_ = true;
  }

  // Reads commands up to the parenthesis that closes them.
  void read_nested() {
    if (++depth_ > kMostNesting) return give_up();
    while (at_ < line_.size() && line_[at_] != ')') read_character();
    end_command();
    ++at_;
    --depth_;
  }

  // Commands in backticks; a backslash before a backtick, a dollar sign or a backslash belongs to the outer ones.
  void read_backticks() {
    mark_unknown();
    add('`');
    std::string inner;
    for (; at_ < line_.size() && line_[at_] != '`'; ++at_) {
      const bool is_quoted = line_[at_] == '\\' && at_ + 1 < line_.size() &&
                             std::string_view("`$\\").find(line_[at_ + 1]) != std::string_view::npos;
      if (is_quoted) ++at_;
      inner += line_[at_];
    }
    ++at_;
    if (depth_ >= kMostNesting) return give_up();
    std::vector<SimpleCommand> found = ShellReader(inner, depth_ + 1).read();
    commands_.insert(commands_.end(), std::move_iterator(found.begin()), std::move_iterator(found.end()));
  }

  void give_up() {
    at_ = line_.size();
    commands_.push_back({{{"", true, ""}}, {}});
  }

  // A number before the sign is the descriptor, and so is one behind "&": "2>&1". Another word is a file: ">&out".
  void begin_file() {
    const bool is_descriptor = word_.text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_descriptor) end_word();
    clear_word();
    if (at_ < line_.size() && (line_[at_] == '>' || line_[at_] == '|')) ++at_;
    if (at_ < line_.size() && line_[at_] == '&') {
      const std::size_t end = line_.find_first_not_of("-0123456789", ++at_);
      const bool is_number = end != at_ && (end == line_.npos || std::string_view(" \t\n;&|)<>").find(line_[end]) !=
                                                                    std::string_view::npos);
      if (is_number) at_ = std::min(end, line_.size());
      if (is_number) return;
    }
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    is_file_ = true;
  }

  void end_word() {
    if (!has_word_) return;
    std::vector<ShellWord>& list = is_file_ ? command_.written_files : command_.words;
    if (is_file_ || (word_.text != "{" && word_.text != "}")) list.push_back(std::move(word_));
    clear_word();
    is_file_ = false;
  }

  void clear_word() {
    word_ = {};
    has_word_ = false;
    brace_ = std::string::npos;
  }

  void end_command() {
    end_word();
    is_file_ = false;
    if (!command_.words.empty() || !command_.written_files.empty()) commands_.push_back(std::move(command_));
    command_ = {};
  }

  std::string_view line_;
  int depth_;
  std::size_t at_ = 0;
  ShellWord word_;
  std::size_t brace_ = std::string::npos;   // where the first brace of the word is
  bool has_word_ = false, is_file_ = false;
  SimpleCommand command_;
  std::vector<SimpleCommand> commands_;
};

}  // namespace

std::vector<SimpleCommand> simple_commands(std::string_view line) { return ShellReader(line).read(); }

}  // namespace ptcvm::chain
