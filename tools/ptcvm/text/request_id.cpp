#include "tools/ptcvm/text/request_id.h"

#include <algorithm>
#include <boost/json.hpp>

#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

// The parser bounds the nesting.
bool holds_double(const json::value& value) {
  if (value.is_double()) return true;
  if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) {
      if (holds_double(element)) return true;
    }
  }
  if (const json::object* object = value.if_object()) {
    for (const auto& member : *object) {
      if (holds_double(member.value())) return true;
    }
  }
  return false;
}

// Goes along JSON text that was parsed before.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Returns the text of the last member "id" of the object, or "" when no member is spelled so.
  std::string_view last_id() {
    std::string_view found;
    skip_blanks();
    ++at_;                               // {
    for (skip_blanks(); at_ < text_.size() && text_[at_] != '}'; skip_blanks()) {
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      const std::string_view name = value();
      skip_blanks();
      ++at_;                             // :
      skip_blanks();
      const std::string_view text = value();
      if (name == "\"id\"") found = text;
    }
    return found;
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  // Moves behind a value.
  std::string_view value() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else if (c == '[' || c == '{') {
        ++depth;
        ++at_;
      } else if (c == ']' || c == '}') {
        --depth;
        ++at_;
      } else if (depth > 0) {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(" \t\r\n,:}]", at_), text_.size());
      }
    } while (depth > 0 && at_ < text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string request_id(std::string_view line, const json::value& id) {
  if (holds_double(id)) {
    if (const std::string_view text = Scanner(line).last_id(); !text.empty()) return ptc::utf8_repaired(text);
  }
  return ptc::utf8_repaired(json::serialize(id));
}

}  // namespace ptcvm::cli
