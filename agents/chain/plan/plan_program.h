// Compiles a plan to a program in PTC-Lisp that people can read. The program runs as a stored run. What a tool did is a
// task under a key that says what was done: "T/s1#8c1f02aa". How a step ended is a task, too: "T/s1@REVISION". A call
// that went well needs no such task when the step has no gate and no check.
//
// The program calls the tools of the plan, and tools of the executor:
//   chain_gate {"step" id "args" args}         nil: the call may be made; else the name of the error
//   chain_verify {"step" id "outputs" [o …]}   {"error" text-or-nil "pending" [criterion …]}, and when a model has
//                                              judged "verdict" [row …] "tokens" [in out]
//   chain_settled {}                           nil; a place to stop between two groups of steps (plan_branches.h)
// A tool answers {"value" v "ms" n} or {"error" text "ms" n}, with "revision" where the call may settle its step.
// The value of the program is a vector with a map for each step, in plan order: "id", "status", "task", and "value",
// "error", "ms", "pending", "verdict", "tokens", "modelCalls", "toolCalls" and "judgeTokens" where they exist.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/plan/plan.h"

namespace ptcvm::chain {

// What earlier revisions left: for a revision, and for programs of it.
struct PlanHistory {
  std::map<std::string, std::string, std::less<>> completed;   // steps to keep: id, and the task with their result
  std::set<std::string, std::less<>> failed_effects;           // keys of calls that failed: they may be made again
  Trust trust = Trust::Usual;
  std::set<std::string, std::less<>> doubted_tools = {};       // as ChainPolicy::doubted_tools
  std::set<std::string, std::less<>> called_tools = {};        // as ChainPolicy::called_tools
};

// Returns the policy for a revision with this history.
ChainPolicy policy_after(ChainPolicy policy, const PlanHistory& history);

struct PlanProgramRules {
  std::string task_id;
  std::uint32_t revision = 1;
  const ChainPolicy* policy = nullptr;               // not owned; says which steps are gated
  Verifier verifier = Verifier::Nobody;
  bool yields_between_steps = false;
  std::size_t parallel = 1;                          // 1: one step after another, in plan order
  PlanHistory history = {};
};

// Returns the source of the program.
std::string plan_source(const Plan& plan, const PlanProgramRules& rules);

// Returns the key of the effect of a step: "T/s1#8c1f02aa". Steps with equal tools and arguments have equal keys,
// whatever their revision.
std::string effect_key(const PlanStep& step, std::string_view task_id);
// Returns the id of the step in such a key, or "" when the text is no such key of the task.
std::string_view step_of_key(std::string_view key, std::string_view task_id);

// Returns the name under which programs call a tool: its name, or a name made of it when the language cannot read it or
// the executor has a tool of that name. The tool "" is the agent that does actions without a tool.
std::string program_tool(std::string_view tool);

// Returns whether a call that goes well completes the step.
bool is_settled_by_call(const PlanStep& step, const ChainPolicy& policy, Verifier verifier, Trust trust);

// Returns whether a program must ask chain_verify about the output of the step.
bool is_checked(const PlanStep& step, Verifier verifier);

}  // namespace ptcvm::chain
