#include "tools/ptcvm/text/raw_members.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kBetween = " \t\r\n";
constexpr std::size_t kMostMembers = 100;

class MemberScanner {
 public:
  explicit MemberScanner(std::string_view text) : text_(text) {}

  void skip_blanks() {
    const std::size_t next = text_.find_first_not_of(kBetween, at_);
    at_ = next == std::string_view::npos ? text_.size() : next;
  }
  bool is_over() const { return at_ >= text_.size(); }
  bool takes(char wanted) {
    skip_blanks();
    if (is_over() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  // Returns a string with its quotes, or "" when there is none.
  std::string_view string() {
    skip_blanks();
    const std::size_t begin = at_;
    if (!takes('"')) return {};
    for (; !is_over() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    return takes('"') ? text_.substr(begin, at_ - begin) : std::string_view();
  }
  // Returns a value up to the comma or the bracket that follows it, or "" when something is open.
  std::string_view value() {
    skip_blanks();
    const std::size_t begin = at_;
    std::size_t depth = 0;
    while (!is_over()) {
      const char c = text_[at_];
      if (c == '"') {
        if (string().empty()) return {};
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      ++at_;
    }
    const std::string_view found = text_.substr(begin, at_ - begin);
    return depth == 0 ? found.substr(0, found.find_last_not_of(kBetween) + 1) : std::string_view();
  }

 private:
  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::map<std::string_view, std::string_view>> raw_members(std::string_view text) {
  MemberScanner scanner(text);
  std::map<std::string_view, std::string_view> out;
  if (!scanner.takes('{')) return std::nullopt;
  bool is_closed = scanner.takes('}');
  while (!is_closed) {
    const std::string_view key = scanner.string();
    if (key.empty() || !scanner.takes(':') || out.size() >= kMostMembers) return std::nullopt;
    const std::string_view value = scanner.value();
    if (value.empty()) return std::nullopt;
    out[key.substr(1, key.size() - 2)] = value;
    is_closed = scanner.takes('}');
    if (!is_closed && !scanner.takes(',')) return std::nullopt;
  }
  scanner.skip_blanks();
  if (!scanner.is_over()) return std::nullopt;
  return out;
}

}  // namespace ptcvm::cli
