// What a task chain is made of: the input of a person, tools, the policy that guards them, and limits. A ChainRun
// (chain_run.h) executes a chain on a store.
#pragma once
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agents/chain/risk/risk.h"
#include "ptcvm/limits.hpp"
#include "ptcvm/tools.hpp"

namespace ptcvm::chain {

// A tool that plans may use. The host makes its calls: ChainRun hands them out as operations.
struct ChainTool {
  std::string name, signature, description;   // told to the planner; docs/signatures.md; "": any call
  Effect effect = Effect::Unsafe;             // what happens to a call whose process died
  // Effect::Reconcilable: says whether a call in doubt happened. The result is what the host would have answered.
  std::function<Reconciled(ToolCall&)> reconcile = {};
};

// Says which calls may be made. A tool that is denied never runs. A person confirms a call when its tool, its step or
// its risk asks for confirmation, unless the signature of the call is approved.
struct ChainPolicy {
  std::vector<std::string> denied_tools, confirmed_tools;
  SafetyRules safety = {};
  std::vector<std::string> approved_signatures;   // approved for good, before this task
  // Nobody knows whether an agent of the task has called these. A person confirms each call, whatever was approved.
  std::vector<std::string> doubted_tools = {};
  // An agent of the task that failed has called these, and they may not be called twice. A person confirms each call.
  std::vector<std::string> called_tools = {};
  bool has_person = false;                        // false: nobody can be asked, so calls to confirm are refused
  double user_confirmation = 0.8;                 // 0 to 1; from 0.8 on every task asks for feedback
};

// Says how criteria in free text are decided.
enum class Verifier : std::uint8_t {
  Nobody,      // such criteria are pending, and the report notes them
  Heuristic,   // the rules of free_text_check.h
  Model,       // a model: an operation with the purpose "verify"
};

struct ChainOptions {
  std::string id, input;                  // the task, and what a person wants; the id also names runs in the store
  std::vector<ChainTool> tools;
  // Plans, calls and answers are checked against the signatures of the tools. false: signatures are texts for the
  // planner; a task that a version without this check has begun goes on so.
  bool checks_signatures = true;
  // A tool that is in doubt in the agent of a step is one of doubted_tools in later revisions. false: as versions did
  // that began the task without this.
  bool asks_after_doubts = true;
  ChainPolicy policy = {};
  boost::json::object context = {};       // for the planner: a TaskContext as JSON (context.h); {}: it is told nothing
  Verifier verifier = Verifier::Nobody;
  bool replans = true;                    // false: a failed step is final
  std::uint32_t most_revisions = 3;       // counts the first plan, too
  std::size_t parallel = 4;               // the most steps at once; 1 keeps the order of the plan
  std::size_t most_steps = 1'000;         // bounds a plan
  std::size_t most_output_bytes = 262'144;   // bounds an output; a longer one fails its step (OUTPUT_TOO_LARGE)
  // true: the chain yields after each group of steps, when nothing is in flight. Hosts show progress there, or stop
  // without a call in doubt. Each group costs one more write.
  bool yields_between_steps = false;
  std::uint64_t memory_bytes = Limits().memory_bytes;   // bounds each of the programs of the chain
  std::int64_t lease_ms = 60'000;         // as StoredOptions::lease_ms
  std::function<std::int64_t()> clock = {};   // as StoredOptions::clock
};

}  // namespace ptcvm::chain
