#include "runtime/trace/trace_event.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "runtime/text/json_text.h"

namespace ptc {
namespace {

namespace json = boost::json;

constexpr std::size_t kKinds = static_cast<std::size_t>(TraceKind::Other);
constexpr std::array<std::string_view, kKinds> kKindNames = {
    "run_start", "form",  "tool_start", "tool_end", "open",    "resolve", "commit", "reset",
    "print",     "progress", "ask",     "retry",    "limit",   "warning", "suspend", "resume",
    "fault",     "run_end"};
constexpr std::size_t kMostDepth = 64;   // of members that nobody knows

// Every text and number after run and turn, in the order in which they are written.
template <class AnyEvent, class Visit>
void for_each_member(AnyEvent& event, Visit visit) {
  visit("name", event.name);
  visit("id", event.id);
  visit("operation", event.operation);
  visit("task", event.task);
  visit("path", event.path);
  visit("line", event.line);
  visit("column", event.column);
  visit("args", event.args);
  visit("value", event.value);
  visit("text", event.text);
  visit("error", event.error);
  visit("stack", event.stack);
  visit("found", event.found);
  visit("kind", event.fault);
  visit("status", event.status);
  visit("attempt", event.attempt);
  visit("cached", event.cached);
  visit("micros", event.micros);
  visit("fuel", event.fuel);
  visit("bytes", event.bytes);
}

struct MemberWriter {
  std::string& out;

  void operator()(std::string_view name, const std::string& text) const {
    if (!text.empty()) append_json_member(out, name, text);
  }
  void operator()(std::string_view name, const std::optional<std::string>& text) const {
    if (text) append_json_member(out, name, *text);
  }
  void operator()(std::string_view name, const std::optional<std::uint64_t>& number) const {
    if (number) append_json_member(out, name, *number);
  }
  void operator()(std::string_view name, const std::optional<bool>& is_so) const {
    if (!is_so) return;
    append_json_name(out, name);
    out += *is_so ? "true" : "false";
  }
};

// Reads the value of the member `wanted` into the member of the event that it belongs to.
struct MemberReader {
  std::string_view wanted;
  const json::value& value;
  bool is_wrong = false;
  std::string_view expected{};

  void take(std::string& text) {
    const json::string* const read = value.if_string();
    if (read == nullptr) return refuse("a text");
    text.assign(read->data(), read->size());
  }
  void take(std::optional<std::string>& text) { take(text.emplace()); }
  void take(std::uint64_t& number) {
    boost::system::error_code error;
    number = value.to_number<std::uint64_t>(error);
    if (error) refuse("a whole number from 0");
  }
  void take(std::optional<std::uint64_t>& number) { take(number.emplace()); }
  void take(std::optional<bool>& is_so) {
    const bool* const read = value.if_bool();
    if (read == nullptr) return refuse("true or false");
    is_so = *read;
  }
  void refuse(std::string_view what) {
    is_wrong = true;
    expected = what;
  }
  template <class Member>
  void operator()(std::string_view name, Member& member) {
    if (name == wanted) take(member);
  }
};

TraceRefusal wrong_member(std::string_view name, std::string_view expected) {
  return {"member " + std::string(name) + " must be " + std::string(expected), std::string(name)};
}

std::optional<TraceRefusal> take_member(TraceEvent& event, std::string_view name, const json::value& value) {
  MemberReader reader{name, value};
  std::uint64_t micros = 0;
  std::string word;
  if (name == "event") {
    reader.take(word);
    event.kind = trace_kind_of(word);
    if (event.kind == TraceKind::Other) event.event = std::move(word);
  } else if (name == "t") {
    reader.take(micros);
    if (micros > kLastTraceMicros) reader.refuse("microseconds since 1970, before the year 10000");
    if (!reader.is_wrong) event.t = static_cast<std::int64_t>(micros);
  } else if (name == "seq") {
    reader.take(event.seq);
  } else if (name == "run") {
    reader.take(event.run);
  } else if (name == "turn") {
    reader.take(event.turn);
  } else {
    for_each_member(event, [&reader](std::string_view known, auto& member) { reader(known, member); });
    if (event.micros > kLastTraceMicros) reader.refuse("microseconds");
  }
  if (reader.is_wrong) return wrong_member(name, reader.expected);
  return std::nullopt;
}

}  // namespace

std::string_view trace_kind_name(TraceKind kind) {
  return kind == TraceKind::Other ? std::string_view() : kKindNames[static_cast<std::size_t>(kind)];
}

TraceKind trace_kind_of(std::string_view name) {
  return static_cast<TraceKind>(std::find(kKindNames.begin(), kKindNames.end(), name) - kKindNames.begin());
}

void append_trace_line(std::string& out, const TraceEvent& event) {
  out += '{';
  append_json_member(out, "seq", event.seq);
  append_json_member(out, "t", event.t);
  append_json_member(out, "event", event.kind_name());
  append_json_member(out, "run", event.run);
  if (event.turn != 0) append_json_member(out, "turn", event.turn);
  for_each_member(event, MemberWriter{out});
  out += "}\n";
}

std::variant<TraceEvent, TraceRefusal> read_trace_line(std::string_view line) {
  if (line.size() > kMostTraceLineBytes) return TraceRefusal{"the line is too long"};
  json::parse_options options;
  options.max_depth = kMostDepth;
  boost::system::error_code error;
  json::monotonic_resource memory;
  const json::value read = json::parse(line, error, &memory, options);
  if (error == json::error::incomplete) return TraceRefusal{"the line is cut off"};
  if (error) return TraceRefusal{"no JSON: " + error.message()};
  const json::object* const object = read.if_object();
  if (object == nullptr) return TraceRefusal{"no JSON object"};
  TraceEvent event;
  for (const auto& [name, value] : *object) {
    if (auto complaint = take_member(event, name, value)) return *std::move(complaint);
  }
  if (event.kind_name().empty()) return wrong_member("event", "a text that says what happened");
  if (event.seq == 0) return wrong_member("seq", "a whole number from 1");
  if (event.run.empty()) return wrong_member("run", "the id of a run");
  if (!object->contains("t")) return wrong_member("t", "microseconds since 1970");
  return event;
}

}  // namespace ptc
