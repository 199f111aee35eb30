// Agents on a worker: each turn of an agent is driven in the thread of its run, and parked when the agent waits.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/loop/agent.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/worker.hpp"
#include "tools/ptcvm/agent/agent_tools.h"

namespace ptcvm::cli {

// What the worker gives to agents.
struct AgentWork {
  std::string model;                         // as --model names it
  std::vector<std::string> child_models;     // PATH=MODEL; paths that an agent does not have are left out
  bool stream = false;
  Limits most_limits = loop::default_program_limits();   // bounds of programs
  std::uint32_t rate = 0;                    // requests a minute to each server, of all workers; 0: as the servers say
  loop::ModelPrices prices = {};             // for limits of money
  std::vector<DeclaredTool> tools;           // what the worker says of a tool goes before what an agent says
  ToolCommands commands = {};                // of these tools
};

// Makes what executes agents (WorkerOptions::kinds). `store` keeps the rates, which are no part of a run: the store of
// the worker. Engine and work must outlive the hosts.
std::function<std::unique_ptr<WorkerHost>()> agent_hosts(const Engine& engine, const Store& store,
                                                         const AgentWork& work);

}  // namespace ptcvm::cli
