#include "vm/snapshot/json/json_text.h"

#include "schema/ascii.h"

namespace ptc {

void append_json_text(std::string& out, std::string_view utf8) {
  out += '"';
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (byte >= 0x20 && byte != 0x7f) {
          out += c;
        } else {
          out.append("\\u00").append({kHexDigits[byte >> 4], kHexDigits[byte & 15]});
        }
    }
  }
  out += '"';
}

void JsonText::open(char bracket, Lines lines) {
  begin_item();
  out += bracket;
  open_.push_back({lines, true});
}

void JsonText::close(char bracket) {
  const Open closed = open_.back();
  open_.pop_back();
  if (closed.lines == Lines::Many && !closed.is_empty) new_line();
  out += bracket;
}

void JsonText::key(std::string_view name) {
  begin_item();
  append_json_text(out, name);
  out += ": ";
  after_key_ = true;
}

void JsonText::raw(std::string_view literal) {
  begin_item();
  out += literal;
}

void JsonText::text(std::string_view utf8) {
  begin_item();
  append_json_text(out, utf8);
}

void JsonText::number(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  return n <= static_cast<std::uint64_t>(kMaxPlainInt) ? raw(digits) : text(digits);
}

void JsonText::number(std::int64_t n) {
  const std::string digits = std::to_string(n);
  return n <= kMaxPlainInt && n >= -kMaxPlainInt ? raw(digits) : text(digits);
}

void JsonText::begin_item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  Open& around = open_.back();
  if (!around.is_empty) out += around.lines == Lines::One ? ", " : ",";
  around.is_empty = false;
  if (around.lines == Lines::Many) new_line();
}

void JsonText::new_line() {
  out += '\n';
  out.append(2 * open_.size(), ' ');
}

}  // namespace ptc
