// Building text: str pr-str join name keyword subs escape, and reverse of a string.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "vm/builtins/text.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"
#include "vm/value/walks.h"

namespace ptc {
namespace {

// The str form of a value as one piece of text; text is made for an int only.
class Piece {
 public:
  bool set(Value v) {
    switch (v.tag) {
      case Tag::Nil: text_ = {}; return true;
      case Tag::String: text_ = string_view_of(v); return true;
      case Tag::Int:
        text_ = {digits_, static_cast<std::size_t>(std::to_chars(digits_, std::end(digits_), v.i).ptr - digits_)};
        return true;
      default: return false;
    }
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  char digits_[20];
};
constexpr std::uint32_t kMaxPieces = 8;

bool all_strings(Call& call) {
  return std::all_of(call.args().begin(), call.args().end(), [](Value v) { return v.is_string(); });
}

// A string of the given pieces, whose bytes are copied once, straight into the result.
template <class TextOf>
Value concatenated(Call& call, TextOf text_of) {
  std::uint64_t size = 0;
  for (std::uint32_t i = 0; i < call.count(); ++i) size += text_of(i).size();
  if (!check_text_size(call, size)) return Value::absent();
  charge_bytes(call, size);
  const Value result = string_raw(call.heap, static_cast<std::size_t>(size));
  char* out = static_cast<String*>(result.object)->bytes();
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    const std::string_view text = text_of(i);
    if (!text.empty()) std::memcpy(out, text.data(), text.size());
    out += text.size();
  }
  return result;
}

// What a keyword literal can spell after its colon.
bool is_keyword_name(std::string_view name) {
  constexpr std::string_view kPunctuation = "+-*<>=?!_";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter_or_digit || kPunctuation.find(c) != std::string_view::npos;
  });
}

// Returns false when visit() returned false for an element.
template <class Visit>
bool for_each_element(Value vector, Visit visit) {
  Value scratch = Value::nil();
  std::uint32_t i = 0;
  for (auto chunk = vector_chunk(vector, i, scratch); !chunk.empty(); chunk = vector_chunk(vector, i, scratch)) {
    i += static_cast<std::uint32_t>(chunk.size());
    work_done(static_cast<std::uint32_t>(chunk.size()));
    if (!std::all_of(chunk.begin(), chunk.end(), visit)) return false;
  }
  return true;
}

// The elements of what join accepts, in order; false when a fault is parked.
template <class Visit>
bool for_each_joined(Call& call, std::uint32_t arg_number, Value coll, Visit visit) {
  if (coll.is_nil()) return true;
  if (coll.is_vector()) {
    return for_each_element(coll, visit);
  }
  if (coll.is_string()) {
    const Owned parts(call.heap, string_graphemes(call.heap, coll));
    return for_each_joined(call, arg_number, parts.get(), visit);
  }
  if (coll.is_map()) {
    const Owned entries(call.heap, map_entries(call.heap, coll));
    return for_each_joined(call, arg_number, entries.get(), visit);
  }
  if (coll.is_set()) {
    MapCursor cursor(call.heap, coll);
    while (cursor.next()) {
      if (!visit(cursor.key())) return false;
    }
    return true;
  }
  call.type_error(arg_number, "seqable");
  return false;
}

// The strings of a vector with the separator in between, copied once; nothing when there is something else among them.
std::optional<Value> joined_strings(Call& call, Value vector, std::string_view separator) {
  const std::uint32_t count = vector_count(vector);
  std::uint64_t size = count == 0 ? 0 : separator.size() * std::uint64_t{count - 1};
  const auto adds_size = [&size](Value v) {
    if (v.is_string()) size += as_string(v)->size_bytes;
    return v.is_string();
  };
  if (!for_each_element(vector, adds_size)) return std::nullopt;
  call.charge(count);
  if (!check_text_size(call, size)) return Value::absent();
  charge_bytes(call, size);
  Owned result(call.heap, string_raw(call.heap, static_cast<std::size_t>(size)));
  char* out = static_cast<String*>(result.get().object)->bytes();
  const auto put = [&](std::string_view text) {
    if (!text.empty()) std::memcpy(out, text.data(), text.size());
    out += text.size();
  };
  bool is_first = true;
  for_each_element(vector, [&](Value v) {
    if (!is_first) put(separator);
    is_first = false;
    put(string_view_of(v));
    return true;
  });
  return result.take();
}

}  // namespace

Value builtin_str(Call& call) {
  if (call.count() == 1 && call.arg(0).is_string()) return call.take(0);
  if (all_strings(call)) return concatenated(call, [&](std::uint32_t i) { return string_view_of(call.arg(i)); });
  Piece pieces[kMaxPieces];
  std::uint32_t known = 0;
  while (known < call.count() && known < kMaxPieces && pieces[known].set(call.arg(known))) ++known;
  if (known == call.count()) return concatenated(call, [&](std::uint32_t i) { return pieces[i].text(); });
  ScratchText out(call.heap);
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (call.arg(i).is(Tag::Pending)) return call.type_error(i + 1, "data");
    if (!append_str_form(call, out, call.arg(i))) return Value::absent();
  }
  return text_result(call, out);
}

Value builtin_pr_str(Call& call) {
  ScratchText out(call.heap);
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (i > 0) out += ' ';
    if (!append_form(call, out, call.arg(i), append_readable)) return Value::absent();
  }
  return text_result(call, out);
}

Value builtin_join(Call& call) {
  const std::uint32_t coll = call.count() - 1;
  std::string_view separator;
  if (coll == 1) {
    if (!check_strings(call, 0, 1)) return Value::absent();
    separator = string_view_of(call.arg(0));
  }
  if (call.arg(coll).is_vector()) {
    if (const std::optional<Value> joined = joined_strings(call, call.arg(coll), separator)) return *joined;
  }
  ScratchText out(call.heap);
  bool first = true;
  const bool done = for_each_joined(call, coll + 1, call.arg(coll), [&](Value v) {
    if (v.is(Tag::Pending)) {
      pending_inside(call, coll + 1, v);
      return false;
    }
    if (!first) out += separator;
    first = false;
    call.charge(1);
    return append_str_form(call, out, v);
  });
  return done ? text_result(call, out) : Value::absent();
}

Value builtin_name(Call& call) {
  const Value v = call.arg(0);
  if (v.is_string()) return call.take(0);
  if (!v.is_keyword()) return call.type_error(1, "keyword or string");
  account::text(v.keyword->name().size());
  return string_of(call.heap, v.keyword->name());
}

Value builtin_keyword(Call& call) {
  const Value v = call.arg(0);
  if (v.is_nil() || v.is_keyword()) return v;
  if (!v.is_string()) return call.type_error(1, "keyword, string or nil");
  const std::string_view name = string_view_of(v);
  charge_bytes(call, name.size());
  if (is_keyword_name(name)) return Value::of(call.heap.intern(name));
  std::string text = "keyword: invalid keyword name ";
  append_quoted(text, name.substr(0, 100));
  return call.fail(FaultKind::TypeError, std::move(text),
                   "Keyword names are made of ASCII letters, digits and + - * < > = ? ! _");
}

Value builtin_subs(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  const Value s = call.arg(0);
  const std::uint32_t count = string_count(s);
  const std::optional<std::uint32_t> from = position_argument(call, 1, count);
  if (!from) return Value::absent();
  std::uint32_t to = count;
  if (call.count() == 3) {
    const std::optional<std::uint32_t> end = position_argument(call, 2, count);
    if (!end) return Value::absent();
    to = *end;
  }
  to = std::max(*from, to);
  // Positions in text with larger clusters are found by walking it.
  charge_bytes(call, string_is_ascii(s) ? to - *from : as_string(s)->size_bytes);
  if (!check_text_size(call, as_string(s)->size_bytes)) return Value::absent();
  return string_slice(call.heap, s, *from, to);
}

Value builtin_escape(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  const Value replacements = call.arg(1);
  if (!replacements.is_map()) {
    return call.type_error(2, "map", "For a function use replace with #\"(?s).\", or (join (map f s)).");
  }
  ScratchText out(call.heap);
  for (const std::string_view cluster : Clusters(string_view_of(call.arg(0)))) {
    call.charge(1);
    const Owned part(call.heap, string_of(call.heap, cluster));
    const Value replacement = map_find(replacements, part.get());
    if (replacement.is(Tag::Pending)) return pending_inside(call, 2, replacement);
    const bool found = !replacement.is_absent() && !replacement.is_nil();
    if (!append_str_form(call, out, found ? replacement : part.get())) return Value::absent();
  }
  return text_result(call, out);
}

Value builtin_string_reverse(Call& call) {
  if (!check_strings(call, 0, 1)) return Value::absent();
  const std::string_view text = string_view_of(call.arg(0));
  if (!check_text_size(call, text.size())) return Value::absent();
  charge_bytes(call, text.size());
  Owned reversed(call.heap, string_raw(call.heap, text.size()));
  char* end = static_cast<String*>(reversed.get().object)->bytes() + text.size();
  for (const std::string_view cluster : Clusters(text)) {
    end -= cluster.size();
    std::memcpy(end, cluster.data(), cluster.size());
  }
  return reversed.take();
}

}  // namespace ptc
