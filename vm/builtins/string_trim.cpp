// Blanks and case: trim and its family, blank?, upper-case, lower-case, capitalize.
#include "vm/builtins/text.h"
#include "vm/value/string.h"
#include "vm/value/unicode_case.h"
#include "vm/value/utf8.h"
#include "vm/value/walks.h"

namespace ptc {
namespace {

std::string_view without_leading_blanks(Call& call, std::string_view text) {
  for (Turns turns(call.heap, Charged::Before); !text.empty(); turns.next()) {
    const Utf8Step step = utf8_decode(text);
    if (!is_blank(step.code_point)) break;
    text.remove_prefix(step.length);
  }
  return text;
}

std::string_view without_trailing_blanks(Call& call, std::string_view text) {
  for (Turns turns(call.heap, Charged::Before); !text.empty(); turns.next()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0u) == 0x80u) --start;
    if (!is_blank(utf8_decode(text.substr(start)).code_point)) break;
    text = text.substr(0, start);
  }
  return text;
}

Value trimmed(Call& call, std::string_view result) {
  charge_bytes(call, as_string(call.arg(0))->size_bytes - result.size());
  if (result.size() == as_string(call.arg(0))->size_bytes) return call.take(0);
  return text_result(call, result);
}

using CaseMapping = void (*)(ScratchText&, std::string_view);

Value mapped(Call& call, CaseMapping append) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  const std::string_view text = string_view_of(call.arg(0));
  if (!check_text_size(call, text.size())) return Value::absent();
  ScratchText out(call.heap);
  if (!out.reserve(text.size())) return call.memory_error();
  append(out, text);
  return text_result(call, out);
}

}  // namespace

Value builtin_trim(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  return trimmed(call, without_trailing_blanks(call, without_leading_blanks(call, string_view_of(call.arg(0)))));
}

Value builtin_triml(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  return trimmed(call, without_leading_blanks(call, string_view_of(call.arg(0))));
}

Value builtin_trimr(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  return trimmed(call, without_trailing_blanks(call, string_view_of(call.arg(0))));
}

Value builtin_trim_newline(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  std::string_view text = string_view_of(call.arg(0));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return trimmed(call, text);
}

Value builtin_blank_p(Call& call) {
  if (call.arg(0).is_nil()) return Value::boolean(true);
  if (!call.arg(0).is_string()) return call.type_error(1, "string or nil");
  const std::string_view text = string_view_of(call.arg(0));
  const std::string_view rest = without_leading_blanks(call, text);
  charge_bytes(call, text.size() - rest.size());
  return Value::boolean(rest.empty());
}

Value builtin_upcase(Call& call) { return mapped(call, append_upper); }
Value builtin_upper_case(Call& call) { return mapped(call, append_upper); }
Value builtin_downcase(Call& call) { return mapped(call, append_lower); }
Value builtin_lower_case(Call& call) { return mapped(call, append_lower); }
Value builtin_capitalize(Call& call) { return mapped(call, append_capitalized); }

}  // namespace ptc
