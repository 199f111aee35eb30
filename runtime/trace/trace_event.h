// What happened in a run, as it is recorded: one event, and its face as a line of JSON (docs/tracing.md).
//
// Invariant: an event that read_trace_line() gives is written by append_trace_line() so that it is read as the same
// event again. Names ("run" to "status") are never empty: "" is none. What a program or a tool said may be empty, so it
// is optional.
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
  Progress,    // of an operation: id, value; of a step of the program: name, text
  Ask,         // somebody is asked about a call, or has decided: id, name, text, status
  Retry,       // a call failed and is made again: id, name, error, attempt, micros (the pause)
  Limit,       // the program failed because a budget was used up: name (of the fault), text, line, column
  Warning,     // text
  Suspend,     // the turn waits: status, text (for what), fuel, micros, bytes
  Resume,      // it goes on, maybe in another process
  Fault,       // the program failed: kind, error, line, column
  RunEnd,      // status, value, fuel, micros, bytes
  Other,       // a word of a newer writer: event
};

// "run_start" …; "" for Other.
std::string_view trace_kind_name(TraceKind kind);
TraceKind trace_kind_of(std::string_view name);

struct TraceEvent {
  TraceKind kind = TraceKind::Other;
  std::string event;            // when Other: the word; not empty, and none of the known ones
  std::uint64_t seq = 0;        // of this run in the process that wrote it, from 1
  std::int64_t t = 0;           // microseconds since 1970, 0 … kLastTraceMicros
  std::string run;              // id of the run
  std::uint64_t turn = 0;       // from 1; 0: not known

  std::string name;             // of a tool, a program, a step, a limit
  std::string id;               // of an operation; of a call, the same in ToolStart and ToolEnd
  std::string operation;        // id of what a call opened
  std::string task;             // id of the innermost open task
  std::string path;             // position of the call inside of the task, or of the run
  std::string fault;            // kind of the fault (member "kind")
  std::string status;
  std::optional<std::string> args, value;   // EDN
  std::optional<std::string> text, error;   // for people
  std::optional<std::uint64_t> line, column, attempt;
  std::optional<std::uint64_t> micros;      // how long it took, at most kLastTraceMicros
  std::optional<std::uint64_t> fuel, bytes;
  std::optional<bool> cached;

  bool operator==(const TraceEvent&) const = default;
  std::string_view word() const { return kind == TraceKind::Other ? event : trace_kind_name(kind); }
};

// A program failed: the event says which fault, and why.
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

// One JSON object and a newline. Malformed UTF-8 becomes U+FFFD.
void append_trace_line(std::string& out, const TraceEvent& event);

// Why a line is no event.
struct TraceRefusal {
  std::string message;
};
// A line, with or without its newline. Members that nobody knows are passed over.
std::variant<TraceEvent, TraceRefusal> read_trace_line(std::string_view line);

}  // namespace ptc
