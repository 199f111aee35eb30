#include "runtime/text/json_text.h"

#include "schema/ascii.h"

namespace ptc {
namespace {

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += kHexDigits[c >> 4];
      out += kHexDigits[c & 15];
  }
}

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// Length of the well-formed sequence at text[at] (a lead byte >= 0x80), or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead >= 0xc2 && lead <= 0xdf) return continues(text, at + 1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!continues(text, at + 1) || !continues(text, at + 2)) return 0;
    const auto second = static_cast<unsigned char>(text[at + 1]);
    const bool overlong = lead == 0xe0 && second < 0xa0;
    const bool surrogate = lead == 0xed && second >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!continues(text, at + 1) || !continues(text, at + 2) || !continues(text, at + 3)) return 0;
    const auto second = static_cast<unsigned char>(text[at + 1]);
    return (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90) ? 0 : 4;
  }
  return 0;
}

}  // namespace

void append_json_string(std::string& out, std::string_view utf8) {
  out += '"';
  append_json_escaped(out, utf8);
  out += '"';
}

void append_json_escaped(std::string& out, std::string_view utf8) {
  std::size_t plain = 0;      // start of the stretch that is copied as it is
  std::size_t i = 0;
  const auto flush = [&] { out.append(utf8, plain, i - plain); };
  while (i < utf8.size()) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c >= 0x80) {
      const std::size_t length = sequence_length(utf8, i);
      if (length > 0) {
        i += length;
        continue;
      }
      flush();
      out += "\xef\xbf\xbd";
      plain = ++i;
    } else if (c < 0x20 || c == '"' || c == '\\') {
      flush();
      append_escape(out, c);
      plain = ++i;
    } else {
      ++i;
    }
  }
  flush();
}

void append_json_comma(std::string& out) {
  const char last = out.empty() ? '[' : out.back();
  if (last != '{' && last != '[' && last != ':') out += ',';
}

void append_json_name(std::string& out, std::string_view name) {
  append_json_comma(out);
  out.append("\"").append(name).append("\":");
}

void append_json_member(std::string& out, std::string_view name, std::string_view text) {
  append_json_name(out, name);
  append_json_string(out, text);
}

void append_json_member(std::string& out, std::string_view name, std::uint64_t number) {
  append_json_name(out, name);
  out += std::to_string(number);
}

void append_json_member(std::string& out, std::string_view name, std::int64_t number) {
  append_json_name(out, name);
  out += std::to_string(number);
}

}  // namespace ptc
