// Stored runs that drive a task: the task itself, and the wait for feedback.
#pragma once
#include <string>
#include <string_view>

#include "agents/chain/chain.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::chain {

// Returns the id of the run that drives a task. It is the id of the task; where the task is a job of a queue, whose log
// belongs to a host, it is ID/driver.
Result<std::string> driver_run_id(const Store& store, std::string_view task_id);
// Returns what the log of that run has.
Result<RunJournal> driver_journal(const Store& store, std::string_view task_id);

// Prepares such a run: driver_program.h has its tools.
Result<StoredRun> start_driver(const Engine& engine, const Store& store, const ChainOptions& options, std::string id,
                               std::string name, const std::string& source);

}  // namespace ptcvm::chain
