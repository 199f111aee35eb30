// String methods. Positions of .indexOf and .lastIndexOf count grapheme clusters like the rest of the
// language; .length and .substring count UTF-16 code units like Java.
#include <string_view>

#include "vm/builtins/java_call.h"
#include "vm/builtins/number_call.h"
#include "vm/builtins/text.h"
#include "vm/builtins/text_finder.h"
#include "vm/value/string.h"
#include "vm/value/unicode_case.h"

namespace ptc {

namespace {

bool two_strings(Call& call, std::string_view& text, std::string_view& part) {
  return java_string(call, 0, text) && java_string(call, 1, part);
}

// The first occurrence at or after byte `from` that begins a cluster. `from` is on a cluster boundary.
std::size_t find_cluster(Value string, std::string_view part, std::size_t from) {
  const std::string_view text = string_view_of(string);
  if (string_is_ascii(string)) return find_text(text, part, from);
  std::size_t boundary = from, found = std::string_view::npos;
  TextFinder(part).each(text, from, [&](std::size_t at) {
    while (boundary < at) boundary += grapheme_length(text.substr(boundary));
    if (boundary == at) found = at;
    return found == std::string_view::npos;
  });
  return found;
}

Value position_value(Value string, std::size_t offset) {
  if (offset == std::string_view::npos) return Value::integer(-1);
  return Value::integer(string_index_of_offset(string, offset));
}

Value last_index(Value string, std::string_view part) {
  const std::string_view text = string_view_of(string);
  const TextFinder finder(part);
  if (string_is_ascii(string) || part.empty()) return position_value(string, finder.last(text));
  std::size_t boundary = 0, last = std::string_view::npos;
  finder.each(text, 0, [&](std::size_t at) {
    while (boundary < at) boundary += grapheme_length(text.substr(boundary));
    if (boundary == at) last = at;
    return true;
  });
  return position_value(string, last);
}

// Code units that a UTF-8 byte stands for: the lead byte of four counts for a surrogate pair.
unsigned units_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xc0U) == 0x80U) return 0;
  return byte >= 0xf0U ? 2 : 1;
}

std::int64_t utf16_length(std::string_view text) {
  std::int64_t units = 0;
  for (const char c : text) units += units_of(c);
  return units;
}

// Byte offset of that code unit, npos inside of a surrogate pair. unit <= length.
std::size_t utf16_offset(std::string_view text, std::int64_t unit) {
  std::int64_t units = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (units_of(text[i]) == 0) continue;
    if (units >= unit) return units == unit ? i : std::string_view::npos;
    units += units_of(text[i]);
  }
  return units == unit ? text.size() : std::string_view::npos;
}

Value mapped(Call& call, void (*append)(ScratchText&, std::string_view)) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  call.charge(text.size() / 16);
  ScratchText out(call.heap);
  if (!out.reserve(text.size())) return call.memory_error();
  append(out, text);
  if (!check_text_size(call, out.size())) return Value::absent();
  return string_of(call.heap, out);
}

}  // namespace

Value builtin_dot_contains(Call& call) {
  std::string_view text;
  std::string_view part;
  if (!two_strings(call, text, part)) return Value::absent();
  call.charge(text.size() / 64);
  return Value::boolean(find_text(text, part) != std::string_view::npos);
}

Value builtin_dot_indexOf(Call& call) {
  std::string_view text;
  std::string_view part;
  if (!two_strings(call, text, part)) return Value::absent();
  std::int64_t from = 0;
  if (call.count() == 3 && !java_long(call, 2, from)) return Value::absent();
  call.charge(text.size() / 16);
  const std::int64_t count = string_count(call.arg(0));
  from = from < 0 ? 0 : from > count ? count : from;
  const std::size_t offset = string_offset(call.arg(0), static_cast<std::uint32_t>(from));
  return position_value(call.arg(0), find_cluster(call.arg(0), part, offset));
}

Value builtin_dot_lastIndexOf(Call& call) {
  std::string_view text;
  std::string_view part;
  if (!two_strings(call, text, part)) return Value::absent();
  call.charge(text.size() / 16);
  return last_index(call.arg(0), part);
}

Value builtin_dot_startsWith(Call& call) {
  std::string_view text;
  std::string_view part;
  if (!two_strings(call, text, part)) return Value::absent();
  charge_text(part.size());
  return Value::boolean(text.starts_with(part));
}

Value builtin_dot_endsWith(Call& call) {
  std::string_view text;
  std::string_view part;
  if (!two_strings(call, text, part)) return Value::absent();
  charge_text(part.size());
  return Value::boolean(text.ends_with(part));
}

Value builtin_dot_toLowerCase(Call& call) { return mapped(call, append_lower); }
Value builtin_dot_toUpperCase(Call& call) { return mapped(call, append_upper); }

Value builtin_dot_length(Call& call) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  call.charge(text.size() / 64);
  return Value::integer(utf16_length(text));
}

Value builtin_dot_substring(Call& call) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  call.charge(text.size() / 64);
  const std::int64_t length = utf16_length(text);
  std::int64_t from = 0;
  std::int64_t to = length;
  if (!java_long(call, 1, from)) return Value::absent();
  if (call.count() == 3 && !java_long(call, 2, to)) return Value::absent();
  if (from < 0 || to > length || from > to) {
    return java_domain_error(call, "range " + std::to_string(from) + " to " + std::to_string(to) +
                                       " is outside of a string of length " + std::to_string(length));
  }
  const std::size_t begin = utf16_offset(text, from);
  const std::size_t end = utf16_offset(text, to);
  if (begin == std::string_view::npos || end == std::string_view::npos) {
    return java_domain_error(call, "the range cuts a character in two");
  }
  return string_of(call.heap, text.substr(begin, end - begin));
}

Value builtin_dot_trim(Call& call) {
  std::string_view text;
  if (!java_string(call, 0, text)) return Value::absent();
  const std::size_t size = text.size();
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= 0x20) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.remove_suffix(1);
  charge_parts((size - text.size()) / 2);   // about a nanosecond a byte
  if (text.size() == size) return call.take(0);
  account::text(text.size());
  return text_result(call, text);
}

}  // namespace ptc
