// Events tell an observer what happens in a run. Traces, records and spans are made from the one stream of events.
//
// The library calls an observer on the thread that steps the run, between instructions. The event is borrowed for the
// length of the call. The observer returns a verdict: Pause makes step() return at the end of the slice (of 50,000
// units at most); Cancel ends the turn there with the fault "cancelled". Forms cost time only when the observer wants
// them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ptcvm/value.hpp"

namespace ptcvm {

// Says what happened. The comment of each kind lists the members of Event that the kind sets.
enum class EventKind : std::uint8_t {
  RunStart,    // a turn began: name (of the source)
  Form,        // the program is at a safe point (a call, a loop jump): line, column; only when wants_forms()
  ToolStart,   // a call begins: name, args, id (the number of the call in its run)
  ToolEnd,     // a call ended: the same, with value or error, micros, and operation when the call started one
  Open,        // an operation began to wait: operation, name (of the tool), args
  Resolve,     // an operation was settled: operation, name, status, value or error
  Commit,      // a task has its value: task, value
  Reset,       // a task will be done again: task, text (the reason)
  Print,       // the program printed: text
  Progress,    // a step is done: name (its id), text. Or an operation reports progress: operation, value
  Ask,         // a hook asks about a call: id (its key), name (of the tool), text (question or decision), status
  Retry,       // a failed call is made again: name, id, error, attempt, micros (the pause)
  Limit,       // a budget was used up: name (of the fault), text
  Warning,     // the engine warns: text
  Suspend,     // the run waits for something from outside
  Resume,      // the run goes on
  Fault,       // the program failed: name (the kind), text, line, column, found
  RunEnd,      // a turn is over: status, value, micros, fuel, bytes
};
PTCVM_API const char* event_name(EventKind kind);   // returns the name in traces: "run_start", "tool_end", …

// Describes one event. All texts and views are borrowed until the observer returns. Members that do not belong to the
// kind are empty.
struct Event {
  EventKind kind{};                      // says which of the other members are set
  std::uint64_t sequence = 0;            // counts the events of the run, from 1
  std::int64_t unix_micros = 0;          // the time of the system clock, in microseconds since 1970
  std::string_view run_id;               // RunOptions::id
  std::uint64_t turn = 0;                // counts the turns of the run, from 1
  std::string_view name, id, task, operation, text, error, status;   // EventKind says what they hold
  std::uint32_t line = 0, column = 0, attempt = 0;                   // count from 1; 0 when there is none
  bool cached = false;                   // ToolEnd: true when the answer came from the cache
  ValueView args, value;                 // EventKind says what they hold; nil when there is none
  std::uint64_t micros = 0;              // ToolEnd, Retry, RunEnd: a duration
  std::uint64_t fuel = 0, bytes = 0;     // RunEnd: the fuel used, and the most bytes that were live at once
  std::string_view path = {};            // calls and Open: the position of the call inside of its task or its run
  std::string_view stack = {};           // Fault, Limit: call_line() of the diagnostic
  std::string_view found = {};           // Fault, Limit: Diagnostic::found, or ""
};
// Returns the event as one line of a trace (docs/tracing.md), without the line feed.
PTCVM_API std::string event_json(const Event& event);

// Says whether the run goes on, returns from step() at the end of the slice, or ends its turn.
enum class Verdict : std::uint8_t { Continue, Pause, Cancel };

// Sees the events of a run. Derive from it, and name it in RunOptions, RestoreOptions or StoredOptions. An observer
// must outlive its run.
class Observer {
 public:
  virtual ~Observer() = default;
  // Sees one event, on the thread that steps the run. Must not throw, and must not use the run.
  virtual Verdict on_event(const Event& event) = 0;
  virtual bool wants_forms() const { return false; }   // returns whether Form events are wanted; asked in each step()
  // Is called behind the events of each step(), and between them where the program stops for a call: an observer that
  // collects what it writes can write it now. The rules of on_event() hold.
  virtual void on_step_end() {}
};

}  // namespace ptcvm
