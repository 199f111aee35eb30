#include "runtime/durable/turn_options.h"

#include <limits>
#include <vector>

#include "runtime/text/edn.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr std::uint64_t kMemory = 1u << 20;

// The one list of what is written and read.
template <class Options, class Visit>
void for_each_option(Options& options, Visit visit) {
  visit("fuel", options.limits.fuel);
  visit("memory-limit", options.limits.memory_bytes);
  visit("depth-limit", options.limits.depth);
  visit("loop-limit", options.limits.loop);
  visit("tool-calls", options.limits.tool_calls);
  visit("max-symbols", options.max_symbols);
  visit("strict-task-ids", options.strict_task_ids);
  visit("signature", options.signature);
  visit("float-precision", options.float_precision);
  visit("timeout", options.timeout);
}

void append_value(std::string& out, bool value) { out += value ? "true" : "false"; }
void append_value(std::string& out, const std::string& value) { append_quoted(out, value); }
void append_value(std::string& out, std::uint32_t value) { out += std::to_string(value); }
void append_value(std::string& out, std::uint64_t value) { out += std::to_string(value); }
void append_value(std::string& out, const std::optional<int>& value) { out += value ? std::to_string(*value) : "nil"; }
void append_value(std::string& out, const std::optional<std::chrono::milliseconds>& value) {
  out += value ? std::to_string(value->count()) : "nil";
}

template <class Whole>
bool read_whole(Value value, Whole& out) {
  const bool fits = value.is_int() && value.i >= 0 &&
                    static_cast<std::uint64_t>(value.i) <= std::numeric_limits<Whole>::max();
  if (fits) out = static_cast<Whole>(value.i);
  return fits;
}

bool take_value(Value value, std::uint32_t& out) { return read_whole(value, out); }
bool take_value(Value value, std::uint64_t& out) {
  if (value.is_int()) return read_whole(value, out);
  out = std::numeric_limits<std::uint64_t>::max();   // written as a number beyond the inline ones
  return value.is(Tag::BigInt);
}
bool take_value(Value value, bool& out) {
  out = value.is(Tag::True);
  return out || value.is(Tag::False);
}
bool take_value(Value value, std::string& out) {
  if (value.is_string()) out = string_view_of(value);
  return value.is_string();
}
bool take_value(Value value, std::optional<int>& out) {
  std::uint32_t number = 0;
  if (!read_whole(value, number) || number > 300) return false;
  out = static_cast<int>(number);
  return true;
}
bool take_value(Value value, std::optional<std::chrono::milliseconds>& out) {
  std::uint32_t number = 0;
  if (!read_whole(value, number)) return false;
  out = std::chrono::milliseconds(number);
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

}  // namespace

std::string turn_options_edn(const SessionOptions& options) {
  std::vector<std::string> usual;
  const SessionOptions defaults;
  for_each_option(defaults, [&](std::string_view, const auto& value) { usual.push_back(text_of(value)); });
  std::string out;
  std::size_t at = 0;
  for_each_option(options, [&](std::string_view name, const auto& value) {
    const std::string text = text_of(value);
    if (text != usual[at++]) out.append(out.empty() ? ":" : " :").append(name).append(" ").append(text);
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
    const bool is_known = entry.key().is_keyword() && take_option(options, entry.key().keyword->name(), entry.value());
    if (!is_known) return "an option that is none, or has a value that is none";
  }
  return std::nullopt;
}

}  // namespace ptc
