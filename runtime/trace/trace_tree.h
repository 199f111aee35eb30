// Folds events into a tree: run > turn > task > calls of tools and operations, with the times between.
//
// The events may come from several files and processes. Events of one run id belong together, in the order of their
// times. A pause is the time between a suspension and the next event of the run. A stretch without a recorded end (its
// process was killed, or it still waits) is open and ends with the last event of its run. A call that is open when the
// next process begins is lost and ends there. A task without a commit when its turn ends is "not kept", and ends with
// its last event.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trace/trace_event.h"

namespace ptc {

enum class SpanKind : std::uint8_t { Run, Turn, Task, Tool, Operation, Pause };
std::string_view span_kind_name(SpanKind kind);   // returns run, turn, task, tool, operation or pause

inline constexpr std::size_t kNoSpan = SIZE_MAX;

struct TraceSpan {
  SpanKind kind{};
  std::string name;                    // the name of the program, the task or the tool; the number of the turn
  std::string id;                      // the id of the run, the task, the call or the operation
  std::string status;                  // the status of the last event, or "" without one; "lost": see above
  std::size_t parent = kNoSpan;
  std::size_t depth = 0;
  std::int64_t begin_us = 0, end_us = 0;
  bool is_open = false;
  const TraceEvent* begin = nullptr;   // the event that began the span, borrowed; null when unknown
  const TraceEvent* end = nullptr;     // the event that ended the span, borrowed; null when unknown
  std::vector<const TraceEvent*> notes;   // prints, commits, faults … in the span, borrowed, in order of time

  std::uint64_t micros() const;        // returns the time from begin to end
  bool has_failed() const;             // returns whether the status is a failure
};

struct TraceRun {
  std::string id;
  std::vector<const TraceEvent*> events;   // borrowed, in order of time
  std::vector<TraceSpan> spans;            // parents before their children, which are in order of time; [0] is the run

  const TraceSpan& root() const { return spans.front(); }
};

// Returns the events in order of time. Events of equal times keep their order.
std::vector<const TraceEvent*> in_order_of_time(const std::vector<TraceEvent>& borrowed);
// Returns the runs in the order of their first events. The events must outlive the runs.
std::vector<TraceRun> fold_runs(const std::vector<TraceEvent>& borrowed);

}  // namespace ptc
