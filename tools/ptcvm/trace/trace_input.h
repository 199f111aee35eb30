// Traces that are read from files.
#pragma once
#include <string>
#include <vector>

#include "runtime/trace/trace_event.h"

namespace ptcvm::cli {

// Adds the events of a file ("-" is standard input), of all runs or of those named in `runs`. False when it cannot be
// read or a line is refused; `message` then names file and line. A last line that is cut off, as a process that was
// killed leaves it, is only warned of, on standard error. Blank lines are passed over.
bool read_trace(const std::string& path, const std::vector<std::string>& runs, std::vector<ptc::TraceEvent>& out,
                std::string& message);

}  // namespace ptcvm::cli
