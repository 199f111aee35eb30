// Stored runs that drive a task: the task itself, and the wait for feedback.
#pragma once
#include <string>

#include "agents/chain/chain.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::chain {

// Prepares such a run: driver_program.h has its tools.
Result<StoredRun> start_driver(const Engine& engine, const Store& store, const ChainOptions& options, std::string id,
                               std::string name, const std::string& source);

}  // namespace ptcvm::chain
