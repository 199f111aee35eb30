// What happens in a run, as it happens: one stream, from which traces, records and spans are made.
//
// An observer is called on the thread that steps the run, between instructions; what it is given is borrowed for the
// length of the call. It says whether the run goes on: Pause makes step() come back at the end of the slice (of 50,000
// units at most), Cancel ends the turn there with the fault "cancelled". A run without an observer, or with one that
// wants no forms, pays nothing for it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ptcvm/value.hpp"

namespace ptcvm {

// What happened, and which members of Event are set.
enum class EventKind : std::uint8_t {
  RunStart,    // name: the source's name
  Form,        // the program stands at line, column: at each safe point (calls, loop jumps); only when wants_forms()
  ToolStart,   // name, args, id: the number of the call in its run
  ToolEnd,     // the same, with value, or error; micros; operation: what it started, if it waits
  Open,        // an operation began to wait: operation, name: the tool, args
  Resolve,     // an operation was settled: operation, name, status; value or error
  Commit,      // a task has its value: task, value
  Reset,       // a task is to be done again: task, text: the reason
  Print,       // text
  Progress,    // a step is done (name: its id, text) or an operation says how far it is (operation, value)
  Ask,         // a hook asks about a call: id: its key, name: the tool, text: the question or what was decided, status
  Retry,       // a call failed and is made again: name, id, error, attempt, micros: the pause
  Limit,       // a budget was used up: name: the fault, text
  Warning,     // text
  Suspend,     // nothing goes on before something comes from outside
  Resume,
  Fault,       // the program failed: name: the kind, text, line, column
  RunEnd,      // status; value
};
PTCVM_API const char* event_name(EventKind kind);   // "run_start", "tool_end", …: as in traces

// One event. Everything in it is borrowed until the observer returns; what does not belong to its kind is empty.
struct Event {
  EventKind kind{};                      // says which of the following are set
  std::uint64_t sequence = 0;            // from 1, in the run
  std::int64_t unix_micros = 0;          // by the system clock
  std::string_view run_id;               // RunOptions::id
  std::uint64_t turn = 0;                // from 1
  std::string_view name, id, task, operation, text, error, status;   // see EventKind
  std::uint32_t line = 0, column = 0, attempt = 0;                   // from 1; 0: none
  bool cached = false;                   // ToolEnd: the answer was there
  ValueView args, value;                 // see EventKind; nil where there is none
  std::uint64_t micros = 0;              // ToolEnd, Retry, RunEnd: how long
  std::uint64_t fuel = 0, bytes = 0;     // RunEnd: used; bytes at most at once
};
// One line of a trace (docs/tracing.md), without the line feed.
PTCVM_API std::string event_json(const Event& event);

// What an observer says: go on, come back from step() at the end of the slice, or end the turn.
enum class Verdict : std::uint8_t { Continue, Pause, Cancel };

// Derive from it, and hand it to RunOptions, RestoreOptions or StoredOptions. It must outlive the run.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called in the thread that steps the run. Must not throw, and must not touch the run.
  virtual Verdict on_event(const Event& event) = 0;
  virtual bool wants_forms() const { return false; }   // asked once for each step(); slow when true
};

}  // namespace ptcvm
