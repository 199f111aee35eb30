// The tree of what happened in runs: run > turn > task > calls of tools and operations, with the times between.
//
// The events may come from several files and processes; those of one run id belong together, in the order of their
// times. What lies between a suspension and the next sign of life is a pause. A stretch whose end nobody wrote down
// (its process was killed, or it still waits) is open and ends with the last event of its run; a call that is open when
// the next process begins is lost and ends there.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trace/trace_event.h"

namespace ptc {

enum class SpanKind : std::uint8_t { Run, Turn, Task, Tool, Operation, Pause };
std::string_view span_kind_name(SpanKind kind);   // run, turn, task, tool, operation, pause

inline constexpr std::size_t kNoSpan = SIZE_MAX;

struct TraceSpan {
  SpanKind kind{};
  std::string name;                    // of the program, the task, the tool; number of the turn
  std::string id;                      // of the run, the task, the call, the operation
  std::string status;                  // as the last event said it; "" when none did; "lost": see above
  std::size_t parent = kNoSpan;
  std::size_t depth = 0;
  std::int64_t begin_us = 0, end_us = 0;
  bool is_open = false;
  const TraceEvent* begin = nullptr;   // what began it, borrowed; null: not seen
  const TraceEvent* end = nullptr;     // what ended it, borrowed; null: not seen
  std::vector<const TraceEvent*> notes;   // prints, commits, faults … in it, borrowed, in order of time

  std::uint64_t micros() const;        // from begin to end
  bool has_failed() const;             // by its status
};

struct TraceRun {
  std::string id;
  std::vector<const TraceEvent*> events;   // borrowed, in order of time
  std::vector<TraceSpan> spans;            // parents before their children, those in order of time; [0] is the run

  const TraceSpan& root() const { return spans.front(); }
};

// In order of time; those of equal times as they were given.
std::vector<const TraceEvent*> in_order_of_time(const std::vector<TraceEvent>& borrowed);
// In the order of their first events. What they borrow must outlive them.
std::vector<TraceRun> fold_runs(const std::vector<TraceEvent>& borrowed);

}  // namespace ptc
