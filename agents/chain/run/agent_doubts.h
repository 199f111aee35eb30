// Calls in doubt of the agents that do steps. The host says which calls an agent does not know about; people are asked
// about them like about calls of the plan, and the host tells the agent what they say.
#pragma once
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agents/chain/risk/operation.h"
#include "agents/chain/text/model_usage.h"
#include "ptcvm/result.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::chain {

// A call of an agent that may or may not have happened.
struct AgentDoubt {
  std::string key;                       // names the doubt in every process
  std::string path, tool, args_json;     // what the agent waits for, "doubt:pay"; the call
};

// An agent that waits for people.
struct DoubtingAgent {
  std::vector<AgentDoubt> doubts;
  std::set<std::string> called_tools = {};   // that may not be called twice, and that the agent has called
  ModelUsage usage = {};                     // what the agent has used
  // Tells the agent that a call happened, with its output, or did not happen.
  std::function<Result<void>(const AgentDoubt& doubt, DoubtAnswer answer, const boost::json::value& output)> tell;
};

// Returns the question of a call in doubt of the agent of a step.
ChainOperation doubt_operation(const AgentDoubt& doubt, const std::string& step, std::uint32_t revision);

// Belongs to one chain. The table must outlive it.
class AgentDoubts {
 public:
  explicit AgentDoubts(OperationTable& operations) : operations_(operations) {}

  // Lists the doubts of the agent that does the step, instead of those that were listed for it before.
  void list(const ChainOperation& step, DoubtingAgent agent);
  // Tells the agent what a person has said about a call that was listed.
  Result<void> tell(const ChainOperation& doubt, DoubtAnswer answer, const boost::json::value& output);
  // Return the error of a step whose agent is given up, and what the agent has used.
  std::string error_of(const std::string& step) const;
  ModelUsage usage_of(const std::string& step) const;
  // Takes the doubts about a step off the list: the step has its answer.
  void forget(const std::string& step);

 private:
  OperationTable& operations_;
  std::map<std::string, DoubtingAgent> agents_;   // by step
};

}  // namespace ptcvm::chain
