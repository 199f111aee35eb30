// Tools whose calls are in a log: the intent before the call, the answer before the program sees it, and the recorded
// answer when a program runs again. A call is known by its idempotency key.
#pragma once
#include "runtime/facts/log_writer.h"
#include "runtime/tools.h"

namespace ptc {

// Whether a call that a dead process left open may simply be made again; with the same key.
bool is_called_again(std::string_view effect_class);

// That the state of an attempt is now known (or known to be in doubt).
Fact settlement_fact(const LogWriter& writer, std::string_view idempotency_key, std::uint64_t attempt,
                     EffectState state);

// The same tools; both arguments must outlive them. Pure ones are called as they are.
ToolRegistry recorded_tools(const ToolRegistry& tools, LogWriter& writer);

}  // namespace ptc
