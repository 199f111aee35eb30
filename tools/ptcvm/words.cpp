#include "tools/ptcvm/words.h"

#include <algorithm>

namespace ptcvm::cli {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_escapable_in_quotes(char c) { return c == '"' || c == '\\' || c == '$' || c == '`'; }

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (is_blank(c)) {
        end_word();
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
    end_word();
    return std::move(words_);
  }

 private:
  void add(char c) {
    word_ += c;
    started_ = true;
  }

  void end_word() {
    if (started_) words_.push_back(std::move(word_));
    word_.clear();
    started_ = false;
  }

  bool single_quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return false;
    word_ += text_.substr(at_, end - at_);
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
        word_ += text_[at_++];
      } else {
        word_ += c;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool started_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view text) { return WordSplitter(text).split(); }

std::string quoted_word(std::string_view word) {
  constexpr std::string_view kSafe = "-_./:@%+,#=";
  const bool is_safe = !word.empty() && word.front() != '#' && std::all_of(word.begin(), word.end(), [kSafe](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kSafe.find(c) != kSafe.npos;
  });
  if (is_safe) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + '\'';
}

}  // namespace ptcvm::cli
