// Writes traces for OpenTelemetry: one ExportTraceServiceRequest in the JSON encoding of OTLP 1.x (ids in hex, 64-bit
// numbers as texts, enums as numbers). api/otel posts the request.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trace/trace_tree.h"

namespace ptc {

// Returns a request with a trace for each run and a span for each stretch of the run. Prints, commits and the like are
// events of spans.
std::string otlp_trace(const std::vector<TraceRun>& runs, std::string_view service_name);

}  // namespace ptc
