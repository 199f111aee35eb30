// Tags: dates, regexes, functions, vars, handles.
#include "runtime/text/edn_tags.h"

#include "vm/builtins/regex.h"
#include "vm/value/calendar.h"
#include "vm/value/map.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"

namespace ptc {

namespace {

Value date_value(Heap&, std::string_view text) {
  const auto day = parse_date(text);
  return day ? Value::date(*day) : Value::absent();
}

Value instant_value(Heap& heap, std::string_view text) {
  const auto at = parse_instant(text, InstantSyntax::Lenient);
  return at ? instant_of(heap, *at) : Value::absent();
}

Value legacy_date_value(Heap& heap, std::string_view text) {
  const auto at = parse_instant(text, InstantSyntax::Lenient);
  std::int64_t millis = 0;
  if (!at || __builtin_mul_overflow(at->seconds, 1'000, &millis)) return Value::absent();
  if (__builtin_add_overflow(millis, at->nanos / 1'000'000, &millis)) return Value::absent();
  return legacy_date_of(heap, millis);
}

Value duration_value(Heap& heap, std::string_view text) {
  const auto length = parse_duration(text);
  return length ? duration_of(heap, *length) : Value::absent();
}

Value keyword_value(Heap& heap, std::string_view text) { return Value::of(heap.intern(text)); }

// The name may come as a symbol, that is with its quote.
Value var_value(Heap& heap, std::string_view text) {
  return edn_var(heap, text.starts_with('\'') ? text.substr(1) : text);
}

Value same_string(Heap& heap, std::string_view text) { return string_of(heap, text); }

// Tags whose value is made from a string alone.
struct TextTag {
  std::string_view tag;
  Value (*make)(Heap&, std::string_view);
};
constexpr TextTag kTextTags[] = {
    {"date", date_value},
    {"ptc/date", date_value},
    {"inst", instant_value},
    {"ptc/instant", instant_value},
    {"ptc/datetime", instant_value},
    {"ptc/jdate", legacy_date_value},
    {"duration", duration_value},
    {"ptc/duration", duration_value},
    {"ptc/kw", keyword_value},
    {"ptc/sym", edn_symbol},
    {"ptc/time", same_string},
    {"uuid", same_string},
    {"ptc/var", var_value},
    {"var", var_value},
};

// Returns the text of the closure, borrowed: the one that the map has, or an earlier one, counted backwards from 1.
Value source_of(Heap& heap, Value map, std::span<const Value> sources) {
  const Value source = map_find(map, Value::of(heap.intern("src")));
  if (!source.is_absent()) return source;
  const Value same = map_find(map, Value::of(heap.intern("same")));
  const bool is_known = same.is_int() && same.i > 0 && static_cast<std::uint64_t>(same.i) <= sources.size();
  return is_known ? sources[sources.size() - static_cast<std::size_t>(same.i)] : Value::absent();
}

Value closure_value(Heap& heap, Value map, const EdnHooks& hooks, std::span<const Value> sources) {
  if (!map.is_map() || !hooks.closure) return Value::absent();
  const Value source = source_of(heap, map, sources);
  if (!source.is_string()) return Value::absent();
  const Value captured = map_find(map, Value::of(heap.intern("captured")));
  if (captured.is_map()) return hooks.closure(string_view_of(source), captured);
  Owned nothing(heap, map_empty(heap));
  return hooks.closure(string_view_of(source), nothing.get());
}

}  // namespace

Value edn_symbol(Heap& heap, std::string_view name) { return string_of(heap, "'" + std::string(name)); }

Value edn_var(Heap& heap, std::string_view name) {
  auto* var = heap.make<Var>(Kind::Var);
  var->name = heap.intern(utf8_repaired(name));
  var->unused = 0;
  return Value::of(Tag::Var, var);
}

Value apply_edn_tag(Heap& heap, std::string_view tag, Value taken, const EdnTagContext& context,
                    std::string& message) {
  Owned value(heap, taken);
  Value made = Value::absent();
  if (tag == "ptc/tuple") return value.take();
  if (tag == "ptc/closure") {
    made = closure_value(heap, taken, context.hooks, context.sources);
  } else if (!taken.is_string()) {
    made = Value::absent();
  } else if (tag == "ptc/fn" || tag == "ptc/builtin") {
    if (context.hooks.function) made = context.hooks.function(string_view_of(taken));
  } else if (tag == "ptc/regex" || tag == "regex") {
    made = context.regexes.make(heap, string_view_of(taken), message);
  } else if (tag == "ptc/pending" || tag == "pending") {
    return pending_of(heap, value.take());
  } else {
    for (const TextTag& known : kTextTags) {
      if (known.tag == tag) made = known.make(heap, string_view_of(taken));
    }
  }
  if (made.is_absent() && message.empty()) {
    message = "tag #" + std::string(tag) + " is unknown or does not fit its value";
  }
  return made;
}

}  // namespace ptc
