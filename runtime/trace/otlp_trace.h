// Traces as OpenTelemetry has them: one ExportTraceServiceRequest in the JSON encoding of OTLP 1.x (ids in hex, 64-bit
// numbers as texts, enums as numbers). Posting it is not done here.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trace/trace_tree.h"

namespace ptc {

// A trace for each run; a span for each stretch of it; prints, commits and the like are events of spans.
std::string otlp_trace(const std::vector<TraceRun>& runs, std::string_view service_name);

}  // namespace ptc
