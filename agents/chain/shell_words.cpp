#include "agents/chain/shell_words.h"

#include <utility>

namespace ptcvm::chain {

namespace {

class ShellReader {
 public:
  explicit ShellReader(std::string_view line) : line_(line) {}

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
      case ';': case '&': case '|': case '\n': case '(': case ')': return end_command();
      case '>': return begin_file();
      case '<': return end_word();
      case '\'': return read_single_quotes();
      case '"': return read_double_quotes();
      case '\\':
        if (at_ < line_.size()) add(line_[at_++]);
        return;
      case '$': case '`': case '*': case '?': case '[':
        word_.is_unknown = true;
        return add(c);
      default: return add(c);
    }
  }

  void add(char c) {
    word_.text += c;
    has_word_ = true;
  }

  void read_single_quotes() {
    has_word_ = true;
    while (at_ < line_.size() && line_[at_] != '\'') word_.text += line_[at_++];
    ++at_;
  }

  void read_double_quotes() {
    has_word_ = true;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] == '$' || line_[at_] == '`') word_.is_unknown = true;
      if (line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
      word_.text += line_[at_];
    }
    ++at_;
  }

  // A number before the sign is the descriptor, and a & behind it is no file: "2>&1".
  void begin_file() {
    const bool is_descriptor = word_.text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_descriptor) end_word();
    word_ = {};
    has_word_ = false;
    if (at_ < line_.size() && (line_[at_] == '>' || line_[at_] == '|')) ++at_;
    if (at_ < line_.size() && line_[at_] == '&') {
      ++at_;
      while (at_ < line_.size() && (line_[at_] == '-' || (line_[at_] >= '0' && line_[at_] <= '9'))) ++at_;
      return;
    }
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    is_file_ = true;
  }

  void end_word() {
    if (!has_word_) return;
    std::vector<ShellWord>& list = is_file_ ? command_.written_files : command_.words;
    if (is_file_ || (word_.text != "{" && word_.text != "}")) list.push_back(std::move(word_));
    word_ = {};
    has_word_ = is_file_ = false;
  }

  void end_command() {
    end_word();
    is_file_ = false;
    if (!command_.words.empty() || !command_.written_files.empty()) commands_.push_back(std::move(command_));
    command_ = {};
  }

  std::string_view line_;
  std::size_t at_ = 0;
  ShellWord word_;
  bool has_word_ = false, is_file_ = false;
  SimpleCommand command_;
  std::vector<SimpleCommand> commands_;
};

}  // namespace

std::vector<SimpleCommand> simple_commands(std::string_view line) { return ShellReader(line).read(); }

}  // namespace ptcvm::chain
