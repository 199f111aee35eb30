// Conversations on a worker: each turn plans in the thread of its run, until the planner waits for somebody.
#pragma once
#include <functional>
#include <memory>

#include "ptcvm/worker.hpp"
#include "tools/ptcvm/worker/worker_agents.h"

namespace ptcvm::cli {

// Makes what executes conversations (WorkerOptions::kinds). `store` keeps the rates. The work must outlive the hosts;
// planners that ask a model ask its model.
std::function<std::unique_ptr<WorkerHost>()> conversation_hosts(const Store& store, const AgentWork& work);

}  // namespace ptcvm::cli
