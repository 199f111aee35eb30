// Tools whose calls are in a log: the intent before the call, the answer before the program sees it, and the recorded
// answer when a program runs again. A call is known by its idempotency key.
//
// What a handler that a recorded tool calls is told as its key: "RUN/task:ID#PATH" in tasks, from the second epoch of
// the task on with "@EPOCH" behind it; "run:RUN@TURN#PATH" outside. So a key names one intent of one run for good.
#pragma once
#include <vector>

#include "runtime/log/log_writer.h"
#include "runtime/calls/tools.h"

namespace ptc {

// The same tools; tools and writer must outlive them. Pure ones are called as they are. `epoch_of` a task is asked at
// each call in one.
using EpochOf = std::function<std::uint64_t(std::string_view task)>;
std::string recorded_key(const CallMeta& meta, const EpochOf& epoch_of);
ToolRegistry recorded_tools(const ToolRegistry& tools, LogWriter& writer, const EpochOf& epoch_of);

// Looks after the calls that earlier claims left open: those of reconcilable tools are asked for, the rest of those
// that cannot simply be made again are noted as being in doubt, and given back: a person has to say what became of
// them.
std::vector<LoggedEffect> find_doubts(const ToolRegistry& tools, LogWriter& writer);

}  // namespace ptc
