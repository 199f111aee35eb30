// An event records something that happened in a run. An event has a second face as a line of JSON (docs/tracing.md).
//
// Invariant: append_trace_line() writes an event of read_trace_line() so that reading gives the same event again. Names
// ("run" to "status") are never empty: "" means that there is no name. A text of a program or a tool may be empty, so
// it is optional.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ptc {

enum class TraceKind : std::uint8_t {
  RunStart,    // a turn of the run begins in this process: name (of the program)
  Form,        // a form was evaluated: line, column, micros
  ToolStart,   // id, name, args
  ToolEnd,     // id, name, value or error, cached, micros, operation (that it opened)
  Open,        // an operation was opened: id, name (of the tool), task, path, args
  Resolve,     // id, name, status, value or error
  Commit,      // task, value
  Reset,       // task, text (why)
  Print,       // text
  Progress,    // an operation tells: id, value; a step of the program tells: name, text
  Ask,         // somebody is asked about a call, or has decided: id, name, text, status
  Retry,       // a call failed and is made again: id, name, error, attempt, micros (the pause)
  Limit,       // the program failed because a budget was used up: name (of the fault), text, line, column, stack, found
  Warning,     // text
  Suspend,     // the turn waits: status, text (for what), fuel, micros, bytes
  Resume,      // the turn goes on, maybe in another process
  Fault,       // the program failed: kind, error, line, column, stack, found
  RunEnd,      // status, value, fuel, micros, bytes
  Other,       // an event of a newer writer: event
};

// Returns "run_start" and so on, or "" for Other.
std::string_view trace_kind_name(TraceKind kind);
TraceKind trace_kind_of(std::string_view name);

struct TraceEvent {
  TraceKind kind = TraceKind::Other;
  std::string event;            // for Other: the name, which is not empty and not a known name
  std::uint64_t seq = 0;        // counts the events of this run in the process that wrote them, from 1
  std::int64_t t = 0;           // microseconds since 1970, 0 … kLastTraceMicros
  std::string run;              // the id of the run
  std::uint64_t turn = 0;       // counts from 1; 0 when unknown

  std::string name;             // the name of a tool, a program, a step or a limit
  std::string id;               // the id of an operation or a call; the same in ToolStart and ToolEnd
  std::string operation;        // the id of the operation that a call opened
  std::string task;             // the id of the innermost open task
  std::string path;             // the position of the call inside of the task or the run
  std::string fault;            // the kind of the fault (member "kind")
  std::string status;
  std::optional<std::string> args, value;   // EDN
  std::optional<std::string> text, error;   // for people
  std::optional<std::string> stack;         // the calls around a fault or a limit, for people: "f 3:1 < program 7:3"
  std::optional<std::string> found;         // the value that did not fit, for people
  std::optional<std::uint64_t> line, column, attempt;
  std::optional<std::uint64_t> micros;      // a duration, at most kLastTraceMicros
  std::optional<std::uint64_t> fuel, bytes;
  std::optional<bool> cached;

  bool operator==(const TraceEvent&) const = default;
  std::string_view kind_name() const { return kind == TraceKind::Other ? event : trace_kind_name(kind); }
};

// Returns whether the event says that the program failed, and with which fault.
inline bool is_failure(const TraceEvent& event) {
  return event.kind == TraceKind::Fault || event.kind == TraceKind::Limit;
}
inline const std::string& failure_kind(const TraceEvent& event) {
  return event.kind == TraceKind::Limit ? event.name : event.fault;
}
inline const std::optional<std::string>& failure_text(const TraceEvent& event) {
  return event.kind == TraceKind::Limit ? event.text : event.error;
}

inline constexpr std::int64_t kLastTraceMicros = 253'402'300'799'999'999;   // the end of the year 9999
inline constexpr std::size_t kMostTraceLineBytes = 64u << 20;

// Appends one JSON object and a newline. Malformed UTF-8 becomes U+FFFD.
void append_trace_line(std::string& out, const TraceEvent& event);

// Says why a line is not an event.
struct TraceRefusal {
  std::string message;
  std::string member = {};      // the member of the line that is wrong, or ""
};
// Reads a line, with or without its newline. Ignores unknown members.
std::variant<TraceEvent, TraceRefusal> read_trace_line(std::string_view line);

}  // namespace ptc
