// The JSON reader: one loop; what may come next follows from the bracket that is open and how many items it
// has.
#include "runtime/text/json_value.h"

#include <vector>

#include "schema/ascii.h"
#include "vm/value/account.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

class JsonReader {
 public:
  JsonReader(Heap& heap, std::string_view text) : heap_(heap), text_(text), builder_(heap) {}

  std::variant<Value, JsonError> read() {
    bool more = true;
    while (more && !failed_) {
      work_done(1);
      if (!builder_.has_room()) {
        fail_for_room();
        break;
      }
      read_item();
      while (!failed_ && !needs_item_ && !brackets_.empty()) after_item();
      more = needs_item_ || !brackets_.empty();
    }
    skip_blanks();
    if (!failed_ && at_ < text_.size()) fail("text after the value");
    if (failed_) return error_;
    return builder_.take();
  }

 private:
  void fail_for_room() {
    heap_.refuse();
    fail(kNoRoom);
    error_.kind = TextError::Kind::TooLarge;
  }
  void fail(std::string_view message) {
    if (failed_) return;
    failed_ = true;
    error_ = {std::string(message), at_};
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  // A value, or the bracket that opens one.
  void read_item() {
    needs_item_ = false;
    const char c = peek();
    if (c == '[' || c == '{') {
      ++at_;
      brackets_.push_back(c);
      builder_.open();
      if (peek() == (c == '[' ? ']' : '}')) return;
      if (c == '{') read_key();
      needs_item_ = true;
    } else if (c == '"') {
      read_string();
    } else if (c == '-' || is_digit(c)) {
      read_number();
    } else {
      read_word();
    }
  }

  // After an item of the open bracket: a comma and the next one, or its end.
  void after_item() {
    const bool object = brackets_.back() == '{';
    if (accept(object ? '}' : ']')) {
      brackets_.pop_back();
      builder_.close(object ? ValueBuilder::Shape::Map : ValueBuilder::Shape::Vector);
      return;
    }
    if (!accept(',')) return fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
    if (object) read_key();
    needs_item_ = true;
  }

  void read_key() {
    if (peek() != '"') return fail("expected a string as key");
    read_string();
    if (!failed_ && !accept(':')) fail("expected ':'");
  }

  void read_string() {
    const std::size_t begin = ++at_;
    const std::size_t plain_end = plain_part();
    const bool is_whole = at_ + plain_end < text_.size() && text_[at_ + plain_end] == '"';
    if (plain_end >= kLongText && !heap_.can_allocate(2 * plain_end)) return fail_for_room();
    if (is_whole) {
      at_ += plain_end + 1;
      return builder_.add(string_of(heap_, text_.substr(begin, plain_end)));
    }
    std::string out;
    while (at_ < text_.size()) {
      const std::size_t plain = plain_part();
      if (out.size() + plain >= kLongText && !heap_.can_allocate(2 * (out.size() + plain))) return fail_for_room();
      out += text_.substr(at_, plain);
      at_ += plain;
      if (at_ >= text_.size()) break;
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) return fail("control character in a string");
      ++at_;
      if (c == '"') return builder_.add(string_of(heap_, out));
      work_done(1);
      if (!read_escape(out)) return fail("unknown escape in a string");
    }
    fail("unterminated string");
  }

  // Returns how many bytes of a string come before its end, an escape or a control character.
  std::size_t plain_part() const {
    std::size_t at = at_;
    const auto is_plain = [](char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; };
    while (at < text_.size() && is_plain(text_[at])) ++at;
    return at - at_;
  }

  bool read_escape(std::string& out) {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_++];
    switch (c) {
      case '"':
      case '\\':
      case '/': out += c; return true;
      case 'n': out += '\n'; return true;
      case 't': out += '\t'; return true;
      case 'r': out += '\r'; return true;
      case 'b': out += '\b'; return true;
      case 'f': out += '\f'; return true;
      case 'u': return append_unicode_escape(out, text_, at_);
      default: return false;
    }
  }

  void read_number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_digit(text_[at_]) || std::string_view("+-.eE").find(text_[at_]) != std::string::npos)) {
      ++at_;
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    const std::string_view digits = token[0] == '-' ? token.substr(1) : token;
    if (digits.size() > kLongNumber) work_done(number_work(digits.size()));
    const bool leading_zero = digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
    const Value n = leading_zero ? Value::absent() : integer_from_decimal(heap_, token);
    if (!n.is_absent()) return builder_.add(n);
    const bool integral = digits.find_first_not_of("0123456789") == std::string_view::npos;
    const auto x = parse_double(token);
    at_ = begin;
    if (!x || leading_zero || integral)
      return fail(integral && !leading_zero ? "integer too large" : "malformed number");
    at_ = begin + token.size();
    builder_.add(Value::real(*x));
  }

  void read_word() {
    const auto word = [&](std::string_view name, Value v) {
      if (!text_.substr(at_).starts_with(name)) return false;
      at_ += name.size();
      builder_.add(v);
      return true;
    };
    if (word("null", Value::nil()) || word("true", Value::boolean(true)) ||
        word("false", Value::boolean(false)))
      return;
    fail(at_ >= text_.size() ? "unexpected end of text" : "expected a value");
  }

  Heap& heap_;
  std::string_view text_;
  ValueBuilder builder_;
  std::vector<char> brackets_;
  std::size_t at_ = 0;
  bool needs_item_ = false;
  bool failed_ = false;
  JsonError error_;
};

}  // namespace

std::variant<Value, JsonError> read_json(Heap& heap, std::string_view text) {
  return read_within(heap, [&] { return JsonReader(heap, text).read(); });
}

}  // namespace ptc
