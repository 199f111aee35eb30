// split split-lines re-split.
//
// A string separator keeps every piece, also empty ones at the end; a regex separator follows Clojure: with no limit or
// limit 0 the empty pieces at the end are dropped, a positive limit is the number of pieces, a negative one keeps all.
#include "vm/builtins/regex_search.h"
#include "vm/builtins/text.h"
#include "vm/builtins/text_finder.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

class Pieces {
 public:
  explicit Pieces(Call& call) : call_(call), pieces_(vector_empty(call.heap)) {}
  ~Pieces() { call_.heap.release(pieces_); }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  void add(std::string_view piece) {
    call_.charge(1);
    work_done(1);
    pieces_ = vector_push(call_.heap, pieces_, string_copy(call_.heap, piece));
  }
  // The same for a piece that a regex cut out: it may go by bytes.
  void add_checked(std::string_view piece) {
    call_.charge(1);
    work_done(1);
    pieces_ = vector_push(call_.heap, pieces_, string_of(call_.heap, piece));
  }
  std::uint32_t count() const { return vector_count(pieces_); }
  bool over_limit() const { return call_.heap.over_limit(); }
  Value finish() {
    const Value v = pieces_;
    pieces_ = Value::nil();
    return v;
  }
  Value finish_without_trailing_empties() {
    std::uint32_t kept = vector_count(pieces_);
    while (kept > 0 && as_string(vector_at(pieces_, kept - 1))->size_bytes == 0) --kept;
    pieces_ = vector_slice(call_.heap, pieces_, 0, kept);
    return finish();
  }

 private:
  Call& call_;
  Value pieces_;
};

// limit <= 0: no limit.
Value split_at_text(Call& call, std::string_view text, std::string_view separator, std::int64_t limit) {
  Pieces pieces(call);
  const auto full = [&] { return limit > 0 && pieces.count() + 1 >= limit; };
  const TextFinder finder(separator);
  std::size_t start = 0;
  while (!full()) {
    std::size_t end;
    if (separator.empty()) {
      end = start + grapheme_length(text.substr(start));
      if (end >= text.size()) break;
    } else {
      end = finder.first(text, start);
      if (end == std::string_view::npos) break;
    }
    pieces.add(text.substr(start, end - start));
    start = end + separator.size();
    if (pieces.over_limit()) return call.memory_error();
  }
  if (!separator.empty() || start < text.size()) pieces.add(text.substr(start));
  return pieces.finish();
}

Value split_at_regex(Call& call, std::string_view text, Value regex, std::int64_t limit) {
  RegexSearch search(call, regex, text, RegexSearch::Groups::None);
  Pieces pieces(call);
  std::size_t start = 0;
  bool split = false;
  while ((limit <= 0 || pieces.count() + 1 < limit) && search.next()) {
    if (search.end() == 0) continue;   // an empty match at the very start separates nothing
    pieces.add_checked(text.substr(start, search.begin() - start));
    start = search.end();
    split = true;
    if (pieces.over_limit()) return call.memory_error();
  }
  if (search.failed()) return Value::absent();
  pieces.add_checked(text.substr(start));
  return limit == 0 && split ? pieces.finish_without_trailing_empties() : pieces.finish();
}

}  // namespace

Value builtin_split(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  const Value separator = call.arg(1);
  if (!separator.is_string() && !separator.is(Tag::Regex)) return call.type_error(2, "regex or string");
  std::int64_t limit = 0;
  if (call.count() == 3) {
    const std::optional<std::int64_t> wanted = integer_argument(call, 2);
    if (!wanted) return Value::absent();
    limit = *wanted;
  }
  const std::string_view text = string_view_of(call.arg(0));
  charge_bytes(call, text.size());
  if (separator.is_string()) charge_bytes(call, as_string(separator)->size_bytes);
  if (separator.is_string()) return split_at_text(call, text, string_view_of(separator), limit);
  return split_at_regex(call, text, separator, limit);
}

Value builtin_re_split(Call& call) {
  if (!call.arg(0).is(Tag::Regex)) return call.type_error(1, "regex");
  if (!check_strings(call, 1, 2)) return Value::absent();
  return split_at_regex(call, string_view_of(call.arg(1)), call.arg(0), -1);
}

Value builtin_split_lines(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  std::string_view rest = string_view_of(call.arg(0));
  charge_bytes(call, rest.size());
  Pieces lines(call);
  bool split = false;
  for (;;) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    const bool crlf = end > 0 && rest[end - 1] == '\r';
    lines.add(rest.substr(0, crlf ? end - 1 : end));
    rest.remove_prefix(end + 1);
    split = true;
    if (lines.over_limit()) return call.memory_error();
  }
  if (!call.reserve(rest.size())) return Value::absent();   // it may be the whole text
  lines.add(rest);
  return split ? lines.finish_without_trailing_empties() : lines.finish();
}

}  // namespace ptc
