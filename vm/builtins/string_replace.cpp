// %replace and %regex-pieces: what the prelude's replace and replace-first are made of. Faults speak in their names.
//
// In the replacement for a regex, $1 \1 and ${name} are groups ($0 is the match), and \$ and \\ are the plain
// characters; a dollar or backslash that names no group stands for itself. For a string pattern the replacement is
// taken as it is.
#include <algorithm>
#include <optional>

#include "vm/builtins/regex_search.h"
#include "schema/ascii.h"
#include "vm/builtins/text.h"
#include "vm/builtins/text_finder.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Matches of a pattern that is a regex or a literal string, from left to right.
class Occurrences {
 public:
  Occurrences(Call& call, Value pattern, std::string_view text, RegexSearch::Groups groups) : text_(text) {
    if (pattern.is_string()) {
      literal_ = TextFinder(string_view_of(pattern));
      length_ = string_view_of(pattern).size();
    } else {
      regex_.emplace(call, pattern, text, groups);
    }
  }
  bool next() {
    if (regex_) {
      if (!regex_->next()) return false;
      begin_ = regex_->begin();
      end_ = regex_->end();
      return true;
    }
    if (done_) return false;
    begin_ = literal_.first(text_, from_);
    if (begin_ == std::string_view::npos) return false;
    end_ = begin_ + length_;
    from_ = end_;
    if (length_ == 0) {
      done_ = begin_ >= text_.size();
      from_ += grapheme_length(text_.substr(begin_));
    }
    return true;
  }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  const RegexSearch* regex() const { return regex_ ? &*regex_ : nullptr; }
  bool failed() const { return regex_ && regex_->failed(); }

 private:
  std::string_view text_;
  TextFinder literal_{{}};                // unless there is a regex
  std::optional<RegexSearch> regex_;
  std::size_t length_ = 0;                // length of the literal
  std::size_t from_ = 0, begin_ = 0, end_ = 0;
  bool done_ = false;
};

// The group that the reference behind template[0] (a $ or a \) names: its number and the length of the reference.
struct GroupReference {
  std::size_t group = 0, length = 0;      // length 0: no reference
};

GroupReference group_reference(std::string_view text, const RegexSearch& match) {
  if (text.size() < 2) return {};
  if (text[0] == '$' && text[1] == '{') {
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) return {};
    const std::size_t group = match.group_named(text.substr(2, end - 2));
    return {group, group == 0 ? 0 : end + 1};
  }
  if (!is_digit(text[1])) return {};
  std::size_t group = static_cast<std::size_t>(text[1] - '0');
  if (group > match.group_count()) return {};
  std::size_t length = 2;
  // As in Java: further digits belong to the number as long as there is such a group.
  while (text[0] == '$' && length < text.size() && is_digit(text[length])) {
    const std::size_t longer = group * 10 + static_cast<std::size_t>(text[length] - '0');
    if (longer > match.group_count()) break;
    group = longer;
    ++length;
  }
  return {group, length};
}

void append_expanded(ScratchText& out, std::string_view replacement, const RegexSearch& match) {
  while (!replacement.empty()) {
    const std::size_t plain = std::min(replacement.find_first_of("$\\"), replacement.size());
    out += replacement.substr(0, plain);
    replacement.remove_prefix(plain);
    if (replacement.empty()) break;
    const GroupReference reference = group_reference(replacement, match);
    if (reference.length > 0) {
      if (match.has_group(reference.group)) out += match.group(reference.group);
      replacement.remove_prefix(reference.length);
      continue;
    }
    const bool escaped =
        replacement.size() > 1 && replacement[0] == '\\' && (replacement[1] == '$' || replacement[1] == '\\');
    out += escaped ? replacement[1] : replacement[0];
    replacement.remove_prefix(escaped ? 2 : 1);
  }
}

bool check_pattern(Call& call, std::uint32_t i) {
  if (call.arg(i).is_string() || call.arg(i).is(Tag::Regex)) return true;
  call.type_error(i + 1, "string or regex");
  return false;
}

Value replaced(Call& call, Value s, Value pattern, Value replacement, bool all) {
  if (!check_strings(call, 0, 1) || !check_pattern(call, 1) || !check_strings(call, 2, 3)) return Value::absent();
  const std::string_view text = string_view_of(s);
  if (!check_text_size(call, text.size())) return Value::absent();
  if (pattern.is_string()) charge_bytes(call, text.size() + as_string(pattern)->size_bytes);
  Occurrences found(call, pattern, text, RegexSearch::Groups::All);
  ScratchText out(call.heap);
  std::size_t done = 0;
  while (found.next()) {
    out += text.substr(done, found.begin() - done);
    if (found.regex() != nullptr) {
      append_expanded(out, string_view_of(replacement), *found.regex());
    } else {
      out += string_view_of(replacement);
    }
    done = found.end();
    call.charge(1);
    work_done(1);
    if (out.size() > most_text_bytes(call) && !check_text_size(call, out.size())) return Value::absent();
    if (!all) break;
  }
  if (found.failed()) return Value::absent();
  if (done == 0 && out.empty()) return retained(s);
  out += text.substr(done);
  return text_result(call, out);
}

Value pieces_of(Call& call, Value pattern, Value s, std::int64_t limit) {
  const std::string_view text = string_view_of(s);
  charge_bytes(call, text.size());
  Occurrences found(call, pattern, text, RegexSearch::Groups::All);
  VectorBuilder pieces(call.heap);
  std::size_t done = 0;
  for (std::int64_t count = 0; (limit <= 0 || count < limit) && found.next(); ++count) {
    pieces.push(string_of(call.heap, text.substr(done, found.begin() - done)));
    pieces.push(found.regex() != nullptr ? found.regex()->match_value() : retained(pattern));
    done = found.end();
    call.charge(2);
    if (call.heap.over_limit()) return call.memory_error();
  }
  if (found.failed()) return Value::absent();
  pieces.push(string_of(call.heap, text.substr(done)));
  return pieces.finish();
}

}  // namespace

// (%replace s pattern text all?)
Value builtin_h_replace_text(Call& call) {
  const bool all = call.arg(3).truthy();
  NamedCall named(call, all ? BuiltinId::replace : BuiltinId::replace_first);
  return replaced(named.get(), call.arg(0), call.arg(1), call.arg(2), all);
}

// (%regex-pieces re s limit): text match text match … text; limit 0 for all matches.
Value builtin_h_regex_pieces(Call& call) {
  const std::int64_t limit = call.arg(2).is_int() ? call.arg(2).i : 0;
  NamedCall named(call, limit == 0 ? BuiltinId::replace : BuiltinId::replace_first);
  Call& as_replace = named.get();
  if (!call.arg(1).is_string()) {
    named.swap_first_two();
    return as_replace.type_error(1, "string");
  }
  if (!call.arg(0).is_string() && !call.arg(0).is(Tag::Regex)) {
    named.swap_first_two();
    return as_replace.type_error(2, "string or regex");
  }
  return pieces_of(as_replace, call.arg(0), call.arg(1), limit);
}

}  // namespace ptc
