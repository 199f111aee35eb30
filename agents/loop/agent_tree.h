// What all agents of one run share.
#pragma once
#include <cstdint>
#include <string>

#include "agents/loop/agent_impl.h"
#include "agents/loop/agent_run.h"
#include "agents/loop/hook_verdicts.h"

namespace ptcvm::loop {

inline constexpr std::uint32_t kToldRulesBefore = 10;   // kToldRules of runs with rules 9 otherwise

struct AgentTree {
  const Agent::Impl& agent;
  std::string id;             // names the run
  std::int64_t time_ms = 0;
  bool keys_name_run = true;  // as AgentStart has it
  std::uint32_t rules = kAgentRules;
  HookVerdicts verdicts;

  // Since rules 7 a turn waits for calls that may have happened and may not be repeated.
  bool waits_for_words() const { return rules >= 7; }
  // Since rules 7 the list of definitions of earlier programs counts for the limit transcript_bytes.
  bool counts_definitions() const { return rules >= 7; }
  // Since rules 7 the program has the handle of a call of an async tool that asks before somebody has allowed the call.
  bool asks_behind_handles() const { return rules >= 7; }
  // Since rules 8 an end waits until what was said meanwhile is answered.
  bool answers_all_words() const { return rules >= 8 && rules != kToldRules && rules != kToldRulesBefore; }
  // Since rules 8 a child is refused whose arguments are too deep to be data. It had none before.
  bool refuses_deep_data() const { return rules >= 8; }
  // Since rules 9 each doubt about a call has a path of its own.
  bool numbers_doubts() const { return rules >= 9; }
  // Since rules 9 a number in the JSON of a model that is beyond the largest float is refused. It was infinite before.
  bool refuses_infinite() const { return rules >= 9; }
  // Since rules 11 a fault behind a call of a reconcilable tool is followed by a closing turn, as one behind an unsafe
  // call is: the call of another program has another key, so the other side would do it again.
  bool closes_behind_reconcilable() const { return rules >= 11; }
};

}  // namespace ptcvm::loop
