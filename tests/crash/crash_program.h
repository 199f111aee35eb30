// The programs that our own tests kill, and their tools: one of each effect class, at once and later.
#pragma once
#include <string>

#include "ptcvm/crash_kit.hpp"

namespace ptcvm::crash {

// Twenty tasks and a bare call, with branches, a nested task, handles that are awaited later, and a summary.
extern const char* const kTwentyTasks;
// Six tasks, with one answer that comes later.
extern const char* const kSixTasks;
// Eleven tasks and three bare calls in branches: eight calls at once, two of each effect class; then three; then two
// whose answers come later.
extern const char* const kFanOut;

// Adds the tools that all programs call. Effects are told to the ledger; a pure tool has no effect.
void add_crash_tools(Tools& tools, Ledger& ledger);
// Adds a tool without a signature whose callable takes a ToolCall.
template <class F>
void add_tool(Tools& tools, const char* name, Effect effect, F callable) {
  tools.add(name, "", std::move(callable), {.effect = effect}).value();
}

// Returns options for a store in a folder in memory, when there is one: what a kill leaves in a file does not depend on
// the medium.
Options crash_options(const char* source);

// Returns the tool whose call a point lies in: after its intent is durable, before its answer is. "" for other points.
std::string open_call_at(const std::string& point);
// Returns whether somebody must be asked about a call of this tool that was left open.
bool is_asked_about(const std::string& tool);

}  // namespace ptcvm::crash
