#include "tools/ptcvm/text/shell_arguments.h"

#include <algorithm>

namespace ptcvm::cli {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_escapable_in_quotes(char c) { return c == '"' || c == '\\' || c == '$' || c == '`'; }

class ArgumentSplitter {
 public:
  explicit ArgumentSplitter(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (is_blank(c)) {
        end_argument();
      } else if (c == '\'') {
        if (!single_quoted()) return std::nullopt;
      } else if (c == '"') {
        if (!double_quoted()) return std::nullopt;
      } else if (c == '\\') {
        if (at_ == text_.size()) return std::nullopt;
        add(text_[at_++]);
      } else {
        add(c);
      }
    }
    end_argument();
    return std::move(arguments_);
  }

 private:
  void add(char c) {
    argument_ += c;
    started_ = true;
  }

  void end_argument() {
    if (started_) arguments_.push_back(std::move(argument_));
    argument_.clear();
    started_ = false;
  }

  bool single_quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return false;
    argument_ += text_.substr(at_, end - at_);
    started_ = true;
    at_ = end + 1;
    return true;
  }

  bool double_quoted() {
    started_ = true;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c == '\\' && at_ < text_.size() && is_escapable_in_quotes(text_[at_])) {
        argument_ += text_[at_++];
      } else {
        argument_ += c;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string argument_;
  bool started_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

std::optional<std::vector<std::string>> split_shell_arguments(std::string_view text) {
  return ArgumentSplitter(text).split();
}

std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view kSafe = "-_./:@%+,#=";
  const auto is_safe = [kSafe](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kSafe.find(c) != kSafe.npos;
  };
  const bool needs_no_quotes =
      !argument.empty() && argument.front() != '#' && std::all_of(argument.begin(), argument.end(), is_safe);
  if (needs_no_quotes) return std::string(argument);
  std::string out = "'";
  for (const char c : argument) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + '\'';
}

std::string run_name_words(std::string_view run) {
  return (run.starts_with('-') ? "--id=" : "") + shell_quoted(run);
}

}  // namespace ptcvm::cli
