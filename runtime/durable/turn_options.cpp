#include "runtime/durable/turn_options.h"

#include <algorithm>
#include <vector>

#include "runtime/text/edn.h"
#include "schema/limits.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr std::uint64_t kMemory = 1u << 20;

// The options besides the limits: the one list of what is written and read.
template <class Options, class Visit>
void for_each_option(Options& options, Visit visit) {
  visit("strict-task-ids", options.strict_task_ids);
  visit("signature", options.signature);
  visit("float-precision", options.float_precision);
  visit("keeps-session", options.keeps_session);
  visit("strict-resets", options.resets_need_reasons);
}

void append_value(std::string& out, bool value) { out += value ? "true" : "false"; }
void append_value(std::string& out, const std::string& value) { append_quoted(out, value); }
void append_value(std::string& out, const std::optional<int>& value) { out += value ? std::to_string(*value) : "nil"; }

bool take_value(Value value, bool& out) {
  out = value.is(Tag::True);
  return out || value.is(Tag::False);
}
bool take_value(Value value, std::string& out) {
  if (value.is_string()) out = string_view_of(value);
  return value.is_string();
}
bool take_value(Value value, std::optional<int>& out) {
  constexpr std::int64_t kMostDecimals = 300;
  if (!value.is_int() || value.i < 0 || value.i > kMostDecimals) return false;
  out = static_cast<int>(value.i);
  return true;
}

template <class T>
std::string text_of(const T& value) {
  std::string text;
  append_value(text, value);
  return text;
}

bool take_option(SessionOptions& options, std::string_view name, Value value) {
  bool taken = false;
  for_each_option(options, [&](std::string_view known, auto& member) {
    if (known == name) taken = take_value(value, member);
  });
  return taken;
}

void append_entry(std::string& out, std::string_view name, std::string_view text) {
  out.append(out.empty() ? ":" : " :").append(name).append(" ").append(text);
}

// Returns "" or why the entry is refused.
std::string take_entry(SessionOptions& options, Heap& heap, Value key, Value value) {
  if (!key.is_keyword()) return "the keys of options must be keywords";
  const std::string_view name = key.keyword->name();
  if (const LimitInfo* const limit = find_limit(name, LimitPlace::Log)) {
    std::string text;
    append_edn(text, value, heap);
    if (value.is(Tag::BigInt) && text.ends_with('N')) text.pop_back();   // a number beyond the inline ones
    return set_limit(options.limits, *limit, text);
  }
  if (take_option(options, name, value)) return {};
  return "there is no option :" + std::string(name) + ", or its value is of another kind";
}

}  // namespace

std::string turn_options_edn(const SessionOptions& options) {
  std::string out;
  for_each_limit(options.limits, [&](const LimitInfo& limit, const auto& value) {
    const bool differs = static_cast<std::uint64_t>(value) != limit.initial;
    if (differs) append_entry(out, dashed_name(limit), std::to_string(value));
  });
  std::vector<std::string> usual;
  const SessionOptions defaults;
  for_each_option(defaults, [&](std::string_view, const auto& value) { usual.push_back(text_of(value)); });
  std::size_t at = 0;
  for_each_option(options, [&](std::string_view name, const auto& value) {
    const std::string text = text_of(value);
    if (text != usual[at++]) append_entry(out, name, text);
  });
  return out.empty() ? out : '{' + out + '}';
}

std::optional<std::string> read_turn_options(std::string_view edn, SessionOptions& options) {
  if (edn.empty()) return std::nullopt;
  Heap heap(kMemory);
  auto read = read_edn(heap, edn);
  if (const auto* error = std::get_if<EdnError>(&read)) return error->message;
  const Owned map(heap, std::get<Value>(read));
  if (!map.get().is_map()) return "options are a map";
  for (MapCursor entry(heap, map.get()); entry.next();) {
    std::string problem = take_entry(options, heap, entry.key(), entry.value());
    if (!problem.empty()) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> go_on_as_begun(const LoggedStart& started, DurableOptions& options) {
  SessionOptions begun;
  if (auto complaint = read_turn_options(started.limits, begun)) return complaint;
  SessionOptions& own = options.session;
  RunLimits wanted = begun.limits;
  for_each_limit_of(own.limits, wanted, [](const LimitInfo& limit, const auto& given, auto& counts) {
    if (static_cast<std::uint64_t>(given) != limit.initial) counts = given;
  });
  static_cast<Limits&>(own.limits) = smaller(wanted, begun.limits);
  own.signature = begun.signature;
  own.float_precision = begun.float_precision;
  own.strict_task_ids = begun.strict_task_ids;
  own.source_name = started.source_name;
  options.context = started.context;
  return std::nullopt;
}

}  // namespace ptc
