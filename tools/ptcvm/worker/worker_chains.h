// Chains of tasks on a worker: each turn drives the chain in the thread of its run, until the chain waits or has ended.
#pragma once
#include <functional>
#include <memory>

#include "ptcvm/engine.hpp"
#include "ptcvm/worker.hpp"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/worker/worker_agents.h"

namespace ptcvm::cli {

// Makes what executes chains (WorkerOptions::kinds), with the model, the tools and the limits that agents have. `store`
// keeps the rates and what earlier tasks knew; `place` says where that store is. Engine, work and place must outlive
// the hosts.
std::function<std::unique_ptr<WorkerHost>()> chain_hosts(const Engine& engine, const Store& store,
                                                         const AgentWork& work, const StoreOptions& place);

}  // namespace ptcvm::cli
