// Makes ids of traces and spans for other systems. The ids depend only on the ids of the run and of its events, so the
// same events have the same ids, in however many pieces they are exported.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "runtime/trace/trace_tree.h"

namespace ptc {

std::string trace_id_of(std::string_view run);   // returns 32 lower-case hex digits

// Makes the ids of the spans of one run.
class SpanIds {
 public:
  explicit SpanIds(std::string_view run) : run_(run) {}
  std::string of(const TraceSpan& span);         // returns 16 lower-case hex digits, different at each call

 private:
  std::string run_;
  std::set<std::string> given_;
};

}  // namespace ptc
