// The journal of a run of an agent, in the form that journals of programs have.
#pragma once
#include <optional>
#include <string>

#include "ptcvm/journal.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// Returns the tasks of the run, its calls in doubt and what it waits for, or nullopt when the run has no agent. Error:
// the log cannot be read.
Result<std::optional<RunJournal>> agent_journal(const Store& store, const std::string& id);

}  // namespace ptcvm::cli
