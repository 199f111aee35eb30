// Decides whether a step may make its call: at once, never, or after a person said yes.
#pragma once
#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <string_view>

#include "agents/chain/chain.h"
#include "agents/chain/plan/plan.h"

namespace ptcvm::chain {

struct GateVerdict {
  enum class Kind { Allow, Refuse, Ask };
  Kind kind = Kind::Allow;
  std::string error;       // Refuse: DENIED_TOOL, CONFIRMATION_UNAVAILABLE or USER_DENIED
  std::string signature;   // Ask: what the answer is about
  std::string question;    // Ask: for a person
};

// Answers of people in this task: the signature, and whether it was approved.
using Decisions = std::map<std::string, bool, std::less<>>;

// Returns whether the verdict about the step can be another one than Allow, whatever the results of other steps are.
bool needs_gate(const PlanStep& step, const ChainPolicy& policy, Trust trust);
// Returns whether a call of the step is dangerous: by its level in the plan, or by its arguments.
bool is_dangerous(const PlanStep& step, const boost::json::object& args, const SafetyRules& rules);
// Decides about the call with these arguments.
GateVerdict judge_call(const PlanStep& step, const boost::json::object& args, const ChainPolicy& policy,
                       const Decisions& decisions, Trust trust);

// Returns what a person is asked about the call, for an answer about this signature.
std::string question_text(const PlanStep& step, const boost::json::object& args, std::string_view signature);
// Returns whether the signature is of a call of a doubted tool, or of one that a failed agent has called: no answer
// about it counts for other tasks.
bool is_about_doubt(std::string_view signature);

// Decides about a call that the agent of a step wants to make. Nobody is asked in the middle of an agent: a call that
// a person would have to confirm is refused with CONFIRMATION_UNAVAILABLE, unless it was approved for good.
GateVerdict judge_agent_call(std::string_view tool, const boost::json::object& args, const ChainPolicy& policy,
                             Trust trust);

}  // namespace ptcvm::chain
