// re-pattern re-find re-matches re-seq re-groups extract extract-int. They look at the first max_regex_input_bytes of
// the text only; split and replace, which must not lose text, look at all of it.
#include "vm/builtins/regex_search.h"
#include "vm/builtins/text.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

bool check_regex_and_text(Call& call) {
  if (!call.arg(0).is(Tag::Regex)) {
    call.type_error(1, "regex", call.arg(0).is_string() ? "Write #\"…\" or (re-pattern \"…\")." : "");
    return false;
  }
  return check_strings(call, 1, 2);
}

std::string_view searched_text(Call& call, std::uint32_t i) {
  return utf8_prefix(string_view_of(call.arg(i)), call.env.limits.regex_input_bytes);
}

Value match_or_nil(const RegexSearch& search, bool found) {
  if (search.failed()) return Value::absent();
  return found ? search.match_value() : Value::nil();
}

// The text of a capture group of the first match of arg 0 in arg 1: nil when there is none. Owned.
Value extracted(Call& call) {
  if (!check_strings(call, 1, 2)) return Value::absent();
  std::int64_t group = 1;
  if (call.count() > 2) {
    const std::optional<std::int64_t> wanted = integer_argument(call, 2);
    if (!wanted) return Value::absent();
    group = *wanted;
  }
  const Owned regex(call.heap, regex_of_argument(call, 0));
  if (regex.get().is_absent()) return Value::absent();
  RegexSearch search(call, regex.get(), searched_text(call, 1), RegexSearch::Groups::All);
  const bool found = search.find(0);
  if (search.failed()) return Value::absent();
  if (!found || group < 0 || static_cast<std::uint64_t>(group) > search.group_count()) return Value::nil();
  const std::size_t i = static_cast<std::size_t>(group);
  return search.has_group(i) ? string_of(call.heap, search.group(i)) : Value::nil();
}

}  // namespace

Value builtin_re_pattern(Call& call) {
  if (call.arg(0).is(Tag::Regex)) return call.take(0);
  return regex_of_argument(call, 0);
}

Value builtin_re_find(Call& call) {
  if (!check_regex_and_text(call)) return Value::absent();
  RegexSearch search(call, call.arg(0), searched_text(call, 1), RegexSearch::Groups::All);
  const bool found = search.find(0);
  return match_or_nil(search, found);
}

Value builtin_re_matches(Call& call) {
  if (!check_regex_and_text(call)) return Value::absent();
  RegexSearch search(call, call.arg(0), searched_text(call, 1), RegexSearch::Groups::All);
  const bool found = search.matches_whole();
  return match_or_nil(search, found);
}

Value builtin_re_seq(Call& call) {
  if (!check_regex_and_text(call)) return Value::absent();
  RegexSearch search(call, call.arg(0), searched_text(call, 1), RegexSearch::Groups::All);
  VectorBuilder matches(call.heap);
  while (search.next()) {
    call.charge(search.group_count() + 1);
    matches.push(search.match_value());
    if (call.heap.over_limit()) return call.memory_error();
  }
  return search.failed() ? Value::absent() : matches.finish();
}

// The language has no matcher objects: a match already is its groups.
Value builtin_re_groups(Call& call) {
  const Value match = call.arg(0);
  if (match.is_nil() || match.is_string() || match.is_vector()) return call.take(0);
  return call.type_error(1, "the result of re-find or re-matches");
}

Value builtin_extract(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  return extracted(call);
}

Value builtin_extract_int(Call& call) {
  if (!check_none_pending(call)) return Value::absent();
  const Owned text(call.heap, extracted(call));
  if (text.get().is_absent()) return Value::absent();
  const Value number = text.get().is_nil() ? Value::nil() : integer_of_text(call, string_view_of(text.get()));
  if (!number.is_nil() || call.count() < 4) return number;
  return call.take(3);
}

}  // namespace ptc
