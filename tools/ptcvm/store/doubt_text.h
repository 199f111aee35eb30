// Writes a call that may or may not have happened, for people and for scripts.
#pragma once
#include <string>
#include <vector>

#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Returns {"run","key","tool","args","effect","task","attempt"} on one line.
std::string doubt_json(const std::string& run, const JournalCall& doubt);
// Returns the call and the commands that settle it, as indented lines without the last line break.
std::string doubt_text(const StoreOptions& store, const std::string& run, const JournalCall& doubt);
// The same for a call of a step of a task (ptcvm chain): `task` is the id of the task.
std::string chain_doubt_text(const StoreOptions& store, const std::string& task, const JournalCall& doubt);

// Returns the keys of the calls in doubt of a run, with blanks between them, as `ptcvm doubt settle` takes them.
std::string doubt_keys(const Store& store, const std::string& run);
// Returns the calls of an agent whose outcome nobody knows, by the names under which `ptcvm agent resume` is told about
// them: "desk/doubt:pay". `waits_for` is what the parked run waits for (StoredDetail).
std::vector<std::string> agent_doubts(const std::vector<std::string>& waits_for);
// The same as doubt_json() and doubt_text() for a call of an agent.
std::string agent_doubt_json(const std::string& run, const std::string& doubt);
std::string agent_doubt_text(const StoreOptions& store, const std::string& run, const std::string& doubt);
// The same for the agent of a step of a task: `name` is the name of the doubt in the task.
std::string step_agent_doubt_text(const StoreOptions& store, const std::string& task, const std::string& name);

}  // namespace ptcvm::cli
