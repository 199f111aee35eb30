// The EDN reader: one loop over the text with a stack of what is open.
//
// Invariant: open_ says for every open bracket, tag and discard what its end makes of the items since; the
// builder has exactly one open collection for each bracket.
#include "runtime/text/edn.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/text/edn_regexes.h"
#include "runtime/text/edn_tags.h"
#include "schema/ascii.h"
#include "schema/blank_characters.h"
#include "vm/value/numeric.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

constexpr std::string_view kDelimiters = " \t\r\n\v\f,()[]{}\";";   // and blanks beyond ASCII
constexpr std::string_view kClosureTag = "ptc/closure";

class EdnReader {
 public:
  EdnReader(Heap& heap, std::string_view text, const EdnHooks& hooks)
      : heap_(heap), text_(text), hooks_(hooks), builder_(heap), regexes_(hooks.bounds_regexes) {}
  ~EdnReader() {
    for (const Value source : sources_) heap_.release(source);
  }
  EdnReader(const EdnReader&) = delete;
  EdnReader& operator=(const EdnReader&) = delete;

  std::variant<Value, EdnError> read() {
    while (!done_) {
      skip_blanks();
      if (at_ >= text_.size()) {
        fail("unexpected end of text");
      } else if (!builder_.has_room()) {
        fail_for_room();
      } else {
        work_done(1);
        step();
      }
      if (failed_) return error_;
    }
    skip_blanks();
    if (at_ < text_.size()) fail("text after the value");
    if (failed_) return error_;
    return builder_.take();
  }

 private:
  enum class Kind : std::uint8_t { Vector, List, Map, Set, Tag, Discard };
  struct Open {
    Kind kind;
    std::size_t begin;     // offset of the bracket, or of the tag name
    std::size_t end = 0;   // offset behind the tag name
    bool pending = false;  // a list that began with the symbol pending
  };

  void fail_for_room() {
    heap_.refuse();
    fail(std::string(kNoRoom));
    error_.kind = TextError::Kind::TooLarge;
  }
  void fail(std::string message) { fail_at(std::move(message), at_); }
  void fail_at(std::string message, std::size_t offset) {
    if (failed_) return;
    failed_ = true;
    error_ = {std::move(message), offset};
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (const std::size_t length = blank_length(text_.substr(at_)); length > 0) {
        at_ += length;
      } else if (text_[at_] == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  std::string_view token() {
    const std::size_t begin = at_;
    const std::size_t end = std::min(text_.find_first_of(kDelimiters, at_), text_.size());
    while (at_ < end && (static_cast<unsigned char>(text_[at_]) < 0x80 || blank_length(text_.substr(at_)) == 0)) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void step() {
    switch (text_[at_]) {
      case '(': open(Kind::List, 1); break;
      case '[': open(Kind::Vector, 1); break;
      case '{': open(Kind::Map, 1); break;
      case ')':
      case ']':
      case '}': close(text_[at_]); break;
      case '"': read_text(); break;
      case '\\': read_character(); break;
      case '#': read_dispatch(); break;
      default: read_token();
    }
  }

  void open(Kind kind, std::size_t width) {
    open_.push_back({kind, at_});
    builder_.open();
    at_ += width;
  }

  void close(char bracket) {
    static constexpr std::string_view kClosers = "])}}";  // in the order of Kind
    const auto kind = open_.empty() ? Kind::Tag : open_.back().kind;
    if (kind >= Kind::Tag || kClosers[static_cast<std::size_t>(kind)] != bracket) {
      fail(std::string("unexpected '") + bracket + "'");
      return;
    }
    if (kind == Kind::Map && builder_.count() % 2 != 0) {
      fail("a map needs an even number of forms");
      return;
    }
    const Open last = open_.back();
    const bool handle = last.pending && builder_.count() == 2;
    ++at_;
    open_.pop_back();
    using Shape = ValueBuilder::Shape;
    builder_.close(kind == Kind::Map ? Shape::Map : kind == Kind::Set ? Shape::Set : Shape::Vector);
    if (!handle) {
      finish(builder_.take());
      return;
    }
    Owned list(heap_, builder_.take());
    Value id = vector_get(list.get(), 1);
    if (id.is_string()) {
      finish(pending_of(heap_, id));
    } else {
      heap_.release(id);
      fail_at("a pending handle needs a string", last.begin);
    }
  }

  // A complete value: tags and discards in front of it take effect, then it belongs to what is open.
  void finish(Value taken) {
    while (!open_.empty() && open_.back().kind >= Kind::Tag) {
      const Open prefix = open_.back();
      open_.pop_back();
      if (prefix.kind == Kind::Discard) {
        heap_.release(taken);
        return;
      }
      std::string message;
      const std::string_view tag = text_.substr(prefix.begin, prefix.end - prefix.begin);
      taken = apply_edn_tag(heap_, tag, taken, {hooks_, sources_, regexes_}, message);
      if (taken.is_absent()) {
        fail_at(std::move(message), prefix.begin);
        return;
      }
    }
    if (taken.is_string() && is_source_next()) sources_.push_back(retained(taken));
    builder_.add(taken);
    if (open_.empty()) done_ = true;
  }

  // Returns whether the next value is the text of a closure: behind :src, in the map of the tag ptc/closure.
  bool is_source_next() {
    if (open_.size() < 2 || open_.back().kind != Kind::Map || builder_.count() % 2 == 0) return false;
    const Open& around = open_[open_.size() - 2];
    if (around.kind != Kind::Tag || text_.substr(around.begin, around.end - around.begin) != kClosureTag) return false;
    const Value key = builder_.last();
    return key.is_keyword() && key.keyword->name() == "src";
  }

  // The string may be longer than the escapes that are left out, never shorter.
  void read_text() {
    const std::size_t end = string_end();
    const std::string_view raw = text_.substr(at_ + 1, end - at_ - 1);
    if (raw.size() >= kLongText && !heap_.can_allocate(2 * raw.size())) return fail_for_room();
    if (end < text_.size() && raw.find('\\') == std::string_view::npos) {
      at_ = end + 1;
      return finish(string_of(heap_, raw));
    }
    std::string text;
    text.reserve(raw.size());
    if (read_string(text)) finish(string_of(heap_, text));
  }

  // Returns the place of the closing quote, or of the end of the text.
  std::size_t string_end() const {
    std::size_t at = at_ + 1;
    while ((at = text_.find_first_of("\"\\", at)) != std::string_view::npos && text_[at] == '\\') at += 2;
    return std::min(at, text_.size());
  }

  bool read_string(std::string& out) {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (at_ >= text_.size()) break;
      const char escape = text_[at_++];
      switch (escape) {
        case 'n': out += '\n'; break;
        case 't': out += '\t'; break;
        case 'r': out += '\r'; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'u':
          if (append_unicode_escape(out, text_, at_)) break;
          fail("\\u needs four hexadecimal digits");
          return false;
        default: out += escape;
      }
    }
    fail_at("unterminated string", begin);
    return false;
  }

  // As in program text: only \" loses its backslash.
  void read_regex() {
    const std::size_t begin = at_;
    std::string pattern;
    for (at_ += 2; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] != '"') pattern += '\\';
        ++at_;
      }
      pattern += text_[at_];
    }
    if (at_ >= text_.size()) return fail_at("unterminated regex", begin);
    ++at_;
    std::string error;
    const Value regex = regexes_.make(heap_, pattern, error);
    if (regex.is_absent()) return fail_at("invalid regex: " + error, begin);
    finish(regex);
  }

  void read_character() {
    static constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
        {"newline", "\n"}, {"return", "\r"},    {"space", " "},
        {"tab", "\t"},     {"backspace", "\b"}, {"formfeed", "\f"}};
    const std::size_t begin = at_++;
    if (at_ >= text_.size()) return fail("unexpected end of text");
    const std::size_t first = at_++;  // one byte may be a delimiter, such as \( or \"
    token();
    const std::string_view name = text_.substr(first, at_ - first);
    const auto lead = static_cast<unsigned char>(name[0]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (name.size() <= size) return finish(string_of(heap_, name));
    for (const auto& [word, text] : kNamed) {
      if (name == word) return finish(string_of(heap_, text));
    }
    std::string out;
    std::size_t after = first + 1;
    if (name[0] != 'u' || !append_unicode_escape(out, text_.substr(0, at_), after) || after != at_) {
      return fail_at("unknown character", begin);
    }
    finish(string_of(heap_, out));
  }

  void read_dispatch() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (next == '{') return open(Kind::Set, 2);
    if (next == '"') return read_regex();
    if (next == '#') return read_special();
    if (next == '_') {
      open_.push_back({Kind::Discard, at_});
      at_ += 2;
      return;
    }
    if (next == '\'') {
      at_ += 2;
      const std::string_view name = token();
      return name.empty() ? fail("#' needs a name") : finish(edn_var(heap_, name));
    }
    const std::size_t begin = ++at_;
    if (token().empty()) return fail("# needs a tag");
    open_.push_back({Kind::Tag, begin, at_});
  }

  void read_special() {
    const std::size_t begin = at_;
    const std::string_view name = token();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (name == "##Inf") return finish(Value::real(kInfinity));
    if (name == "##-Inf") return finish(Value::real(-kInfinity));
    if (name == "##NaN") return finish(Value::real(std::numeric_limits<double>::quiet_NaN()));
    fail_at("unknown symbolic value", begin);
  }

  void read_token() {
    const std::size_t begin = at_;
    const std::string_view name = token();
    if (name == "nil") return finish(Value::nil());
    if (name == "true") return finish(Value::boolean(true));
    if (name == "false") return finish(Value::boolean(false));
    if (name[0] == ':') {
      if (name.size() == 1) return fail_at("a keyword needs a name", begin);
      return finish(Value::of(heap_.intern(utf8_repaired(name.substr(1)))));
    }
    const bool signed_number = (name[0] == '-' || name[0] == '+') && name.size() > 1 && is_digit(name[1]);
    if (is_digit(name[0]) || signed_number) return read_number(name, begin);
    if (name == "pending" && !open_.empty() && open_.back().kind == Kind::List && builder_.count() == 0) {
      open_.back().pending = true;
    }
    finish(edn_symbol(heap_, name));
  }

  void fail_number(std::string_view name, std::size_t begin, std::string message) {
    const InvisibleCharacter found = invisible_in(name);
    if (found.length == 0) return fail_at(std::move(message), begin);
    fail_at("invisible character " + found.name, begin + found.offset);
  }

  void read_number(std::string_view name, std::size_t begin) {
    const std::string_view body =
        name.back() == 'N' || name.back() == 'M' ? name.substr(0, name.size() - 1) : name;
    if (name.size() > kLongNumber) work_done(number_work(name.size()));
    if (name.back() != 'M') {
      const Value n = integer_from_decimal(heap_, body);
      if (!n.is_absent()) return finish(n);
    }
    if (name.back() == 'N') return fail_number(name, begin, "malformed or too large integer");
    if (const std::size_t slash = body.find('/'); slash != std::string_view::npos) {
      const auto numerator = parse_double(body.substr(0, slash));
      const auto denominator = parse_double(body.substr(slash + 1));
      if (!numerator || !denominator || *denominator == 0.0) return fail_at("malformed ratio", begin);
      return finish(Value::real(*numerator / *denominator));
    }
    const bool integral = body.find_first_not_of("+-0123456789") == std::string_view::npos;
    const auto x = parse_double(body);
    if (!x || (integral && name.back() != 'M')) return fail_number(name, begin, "malformed number");
    finish(Value::real(*x));
  }

  Heap& heap_;
  std::string_view text_;
  const EdnHooks& hooks_;
  ValueBuilder builder_;
  std::vector<Open> open_;
  EdnRegexes regexes_;
  std::vector<Value> sources_;           // owned; the texts of closures in the order of the text
  std::size_t at_ = 0;
  bool done_ = false;
  bool failed_ = false;
  EdnError error_;
};

}  // namespace

bool holds_functions(std::string_view edn) {
  return edn.find("#ptc/fn") != std::string_view::npos || edn.find("#ptc/closure") != std::string_view::npos ||
         edn.find("#ptc/builtin") != std::string_view::npos;
}

std::variant<Value, EdnError> read_edn(Heap& heap, std::string_view text, const EdnHooks& hooks) {
  return read_within(heap, [&] { return EdnReader(heap, text, hooks).read(); });
}

}  // namespace ptc
