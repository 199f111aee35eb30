// Ids of traces and spans for other systems. They are made from the ids of the run and of what happened in it, so the
// same events have the same ids wherever and in however many pieces they are exported.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "runtime/trace/trace_tree.h"

namespace ptc {

std::string trace_id_of(std::string_view run);   // 32 lower-case hex digits

// Of the spans of one run.
class SpanIds {
 public:
  explicit SpanIds(std::string_view run) : run_(run) {}
  std::string of(const TraceSpan& span);         // 16 lower-case hex digits, another one at each call

 private:
  std::string run_;
  std::set<std::string> given_;
};

}  // namespace ptc
