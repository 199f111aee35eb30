// One pass over the pattern, token by token. It need not know whether the pattern is well formed, only where classes
// begin and end and what follows a backslash or "(?"; malformed rest is copied for RE2 to complain about.
#include "vm/builtins/regex_syntax.h"

#include <utility>

#include "schema/ascii.h"

namespace ptc {
namespace {

constexpr std::string_view kHorizontalBlanks = "\\t\\x20\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{202F}\\x{205F}\\x{3000}";
constexpr std::string_view kLineBreaks = "\\n-\\r\\x{85}\\x{2028}\\x{2029}";

constexpr std::pair<std::string_view, std::string_view> kPosixClasses[] = {
    {"Alpha", "alpha"}, {"Digit", "digit"}, {"Alnum", "alnum"}, {"Upper", "upper"},
    {"Lower", "lower"}, {"Punct", "punct"}, {"Graph", "graph"}, {"Print", "print"},
    {"Blank", "blank"}, {"Cntrl", "cntrl"}, {"XDigit", "xdigit"}, {"Space", "space"}, {"ASCII", "ascii"}};

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Translator {
 public:
  Translator(std::string_view pattern, std::string& out, RegexSyntaxError& error)
      : pattern_(pattern), out_(out), error_(error) {}

  bool run() {
    while (at_ < pattern_.size()) {
      if (!token()) return false;
    }
    return true;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  void copy(std::size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }
  void replace(std::size_t count, std::string_view with) {
    out_ += with;
    at_ += count;
  }
  bool refuse(std::string message) {
    error_ = {std::move(message), at_};
    return false;
  }

  bool token();
  bool escape();
  bool group();
  bool flags();
  bool quantifier(std::size_t length);
  bool posix_property();
  bool hex_escape();
  void quoted();
  void char_class();
  std::size_t counted_length() const;

  std::string_view pattern_;
  std::string& out_;
  RegexSyntaxError& error_;
  std::size_t at_ = 0;
  bool in_class_ = false;
};

bool Translator::token() {
  const char c = peek();
  if (c == '\\') return escape();
  if (in_class_) {
    if (looking_at("[:")) {
      const std::size_t end = pattern_.find(":]", at_ + 2);
      if (end != std::string_view::npos) {
        copy(end + 2 - at_);
        return true;
      }
    }
    if (c == ']') in_class_ = false;
    copy(1);
    return true;
  }
  if (c == '[') {
    char_class();
    return true;
  }
  if (c == '(') return group();
  if (c == '*' || c == '+' || c == '?') return quantifier(1);
  if (c == '{' && counted_length() > 0) return quantifier(counted_length());
  copy(1);
  return true;
}

// A "]" right after the opening bracket is an ordinary member.
void Translator::char_class() {
  in_class_ = true;
  copy(peek(1) == '^' ? 2 : 1);
  if (peek() == ']') replace(1, "\\]");
}

// Length of {n}, {n,} or {n,m} at the cursor; 0 when the brace is an ordinary character.
std::size_t Translator::counted_length() const {
  std::size_t i = 1;
  while (is_digit(peek(i))) ++i;
  if (i == 1) return 0;
  if (peek(i) == ',') {
    ++i;
    while (is_digit(peek(i))) ++i;
  }
  return peek(i) == '}' ? i + 1 : 0;
}

bool Translator::quantifier(std::size_t length) {
  copy(length);
  if (peek() == '+') return refuse("possessive quantifiers are not supported");
  if (peek() == '?') copy(1);
  return true;
}

bool Translator::group() {
  if (looking_at("(*")) return refuse("backtracking verbs are not supported");
  if (!looking_at("(?")) {
    copy(1);
    return true;
  }
  if (looking_at("(?=") || looking_at("(?!")) return refuse("look-ahead is not supported");
  if (looking_at("(?<=") || looking_at("(?<!")) return refuse("look-behind is not supported");
  if (looking_at("(?>")) return refuse("atomic groups are not supported");
  if (looking_at("(?|")) return refuse("branch reset groups are not supported");
  if (looking_at("(?(")) return refuse("conditional groups are not supported");
  if (looking_at("(?R") || looking_at("(?&") || looking_at("(?P>") || is_digit(peek(2))) {
    return refuse("recursion is not supported");
  }
  if (looking_at("(?P=")) return refuse("back-references are not supported");
  if (looking_at("(?P<")) {
    copy(4);
    return true;
  }
  if (looking_at("(?<")) {
    replace(3, "(?P<");
    return true;
  }
  if (looking_at("(?#")) {
    const std::size_t end = pattern_.find(')', at_);
    if (end == std::string_view::npos) return refuse("missing ) after a comment");
    at_ = end + 1;
    return true;
  }
  return flags();
}

// (?imsU-…) and (?imsU-…:…). Unicode flags are what always holds, so they are dropped.
bool Translator::flags() {
  std::string kept;
  std::size_t i = 2;
  for (; peek(i) != '\0' && peek(i) != ')' && peek(i) != ':'; ++i) {
    const char c = peek(i);
    if (c == 'x') return refuse("the flag x (free spacing) is not supported");
    if (c == 'u' || c == 'd') continue;
    kept += c;
  }
  if (kept == "-") kept.clear();
  const char end = peek(i);
  if (kept.empty() && end == ')') {
    at_ += i + 1;
    return true;
  }
  replace(i, "(?" + kept);
  if (end != '\0') copy(1);
  return true;
}

void Translator::quoted() {
  const std::size_t end = pattern_.find("\\E", at_);
  copy(end == std::string_view::npos ? pattern_.size() - at_ : end + 2 - at_);
}

bool Translator::hex_escape() {
  for (std::size_t i = 2; i < 6; ++i) {
    if (!is_hex(peek(i))) return refuse("\\u needs four hexadecimal digits");
  }
  out_.append("\\x{").append(pattern_.substr(at_ + 2, 4)).append("}");
  at_ += 6;
  return true;
}

bool Translator::posix_property() {
  const bool negated = peek(1) == 'P';
  for (const auto& [name, posix] : kPosixClasses) {
    const std::string spelled = "{" + std::string(name) + "}";
    if (!pattern_.substr(at_ + 2).starts_with(spelled)) continue;
    std::string members = std::string("[:") + (negated ? "^" : "") + std::string(posix) + ":]";
    if (!in_class_) members = "[" + members + "]";
    replace(2 + spelled.size(), members);
    return true;
  }
  copy(2);
  return true;
}

bool Translator::escape() {
  const char c = peek(1);
  const auto named_class = [&](std::string_view members, bool negated) {
    const std::string_view open = negated ? "[^" : "[";
    replace(2, in_class_ ? std::string(members) : std::string(open) + std::string(members) + "]");
    return true;
  };
  switch (c) {
    case '\0': return refuse("nothing follows the last backslash");
    case 'Q':
      quoted();
      return true;
    case 'u': return hex_escape();
    case 'p':
    case 'P': return posix_property();
    case 'e': replace(2, "\\x1B"); return true;
    case 'h': return named_class(kHorizontalBlanks, false);
    case 'v': return named_class(kLineBreaks, false);
    case 'b':
      if (!in_class_) break;
      replace(2, "\\x08");
      return true;
    case 'H':
    case 'V':
      if (in_class_) return refuse(std::string("\\") + c + " is not supported inside of a class");
      return named_class(c == 'H' ? kHorizontalBlanks : kLineBreaks, true);
    case 'R':
      if (in_class_) return refuse("\\R is not supported inside of a class");
      replace(2, "(?:\\r\\n|[" + std::string(kLineBreaks) + "])");
      return true;
    case 'c':
    case 'G':
    case 'K':
    case 'N':
    case 'X':
    case 'Z': return refuse(std::string("\\") + c + " is not supported");
    case 'g':
    case 'k': return refuse("back-references are not supported");
    default: break;
  }
  if (!in_class_ && c >= '1' && c <= '9') return refuse("back-references are not supported");
  copy(2);
  return true;
}

}  // namespace

bool reads_little_past_match(std::string_view pattern) {
  constexpr std::string_view kRepeats = "*+?{";
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (c == '\\') {
      if (next == 'Q' || next == 'R') return false;
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      if (next == '^') ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') ++i;
    } else if (c == '|' || (c == ')' && next != '\0' && kRepeats.find(next) != std::string_view::npos)) {
      return false;
    }
  }
  return true;
}

bool translate_regex(std::string_view pattern, std::string& translated, RegexSyntaxError& error) {
  translated.clear();
  return Translator(pattern, translated, error).run();
}

}  // namespace ptc
