// Facts about calls with effects: how they are keyed, and what may be done about a call that may or may not have
// happened.
//
// A tool gets as its key: "RUN/task:ID#PATH" in tasks, from the second epoch of the task on with "@EPOCH" behind it;
// "run:RUN@TURN#PATH" outside. RUN is the id of the run with "~0" for "~" and "~1" for "/", so the first "/" of a key
// ends it. So a key names one intent of one run for good, and no two runs have equal keys. Logs of older versions have
// keys with the id as it is; a call that such a log knows keeps its key.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/calls/tools.h"
#include "runtime/log/log_writer.h"

namespace ptc {

// Returns the epoch of a task, as the program that runs sees it.
using EpochOf = std::function<std::uint64_t(std::string_view task)>;
// Returns the key under which the log knows a call, or will know it.
std::string recorded_key(const CallMeta& meta, const EpochOf& epoch_of, LogWriter& writer);

// Returns the fact that says what became of an attempt, or that nobody knows.
Fact settlement_fact(const LogWriter& writer, std::string_view idempotency_key, std::uint64_t attempt,
                     EffectState state);

// What the tool of a reconcilable call knows about it.
struct AskedTool {
  std::optional<Fact> fact = {};   // says what became of the call; nullopt: nobody can be asked, or nobody knows
  std::string reason = {};         // why nobody knows, or ""
};
// Asks. `tool` may be null.
AskedTool ask_tool(const Tool* tool, const LoggedEffect& effect, const LogWriter& writer);

// Returns the class by which a call in doubt is treated: the stricter one of the intent and of the tool as it is now,
// which may be null.
EffectClass class_that_counts(const LoggedEffect& effect, const Tool* tool);
// Returns the fact that the call is in doubt, with the class that counts when it is not the one of the intent.
Fact doubted_fact(const LogWriter& writer, const LoggedEffect& effect, EffectClass counts);

// Looks after the calls that earlier claims left open. Asks the tools of reconcilable ones. Notes the rest of those
// that cannot simply be made again as being in doubt, and returns them: a person has to say what became of them.
std::vector<LoggedEffect> find_doubts(const ToolRegistry& tools, LogWriter& writer);
// Returns the calls that are noted as being in doubt.
std::vector<LoggedEffect> noted_doubts(const RunLog& log);

}  // namespace ptc
