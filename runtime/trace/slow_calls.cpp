#include "runtime/trace/slow_calls.h"

#include <algorithm>
#include <map>

#include "runtime/trace/saturated_sum.h"

namespace ptc {
namespace {

void count(SlowCalls& calls, const TraceSpan& span) {
  if (span.is_open) {
    ++calls.open;
    return;
  }
  ++calls.count;
  if (span.has_failed()) ++calls.failed;
  if (span.status == "cached") ++calls.cached;
  calls.total_us = saturated_sum(calls.total_us, span.micros());
  calls.max_us = std::max(calls.max_us, span.micros());
}

}  // namespace

std::vector<SlowCalls> slow_calls(const std::vector<TraceRun>& runs) {
  std::map<std::pair<SpanKind, std::string>, SlowCalls> by_name;
  for (const TraceRun& run : runs) {
    for (const TraceSpan& span : run.spans) {
      if (span.kind != SpanKind::Tool && span.kind != SpanKind::Operation) continue;
      SlowCalls& calls = by_name[{span.kind, span.name}];
      calls.kind = span.kind;
      calls.name = span.name;
      count(calls, span);
    }
  }
  std::vector<SlowCalls> out;
  for (auto& [key, calls] : by_name) out.push_back(std::move(calls));
  std::stable_sort(out.begin(), out.end(),
                   [](const SlowCalls& a, const SlowCalls& b) { return a.total_us > b.total_us; });
  return out;
}

}  // namespace ptc
