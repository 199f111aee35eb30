// What all agents of one run share.
#pragma once
#include <cstdint>
#include <string>

#include "agents/loop/agent_impl.h"
#include "agents/loop/hook_verdicts.h"

namespace ptcvm::loop {

struct AgentTree {
  const Agent::Impl& agent;
  std::string id;             // names the run
  std::int64_t time_ms = 0;
  bool keys_name_run = true;  // as AgentStart has it
  HookVerdicts verdicts;
};

}  // namespace ptcvm::loop
