// What a chain asks of its host: a call of a model or of a tool, a question to a person, a call in doubt, a report to
// keep. Operations are data; the host answers them in any order.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/risk/risk.h"

namespace ptcvm::chain {

enum class OperationKind : std::uint8_t { Model, Tool, Question, Doubt, Report };

struct ChainOperation {
  std::uint64_t id = 0;          // for answers; another process gives other ids
  OperationKind kind{};
  // Model: "intent", "plan", "replan", "verify", and "step": an action without a tool, which the host lets an agent do
  // with `text` as its prompt and the member "args" of `args` as its data. Question: "confirm", "feedback".
  std::string purpose;
  std::string key;               // stays the same in every process: pass it on as the idempotency key
  std::string step;              // the id of the step, or ""
  std::string task;              // Tool, Model "step": the task of the steps run that keeps the answer; else ""
  std::string tool;              // Tool, Doubt
  std::string path;              // Doubt about a call of the agent of a step: what the agent waits for, "doubt:pay"
  std::string text;              // Model: the prompt; Question: the question
  std::string signature;         // Question "confirm": what the answer is about
  boost::json::object args = {}; // Tool, Doubt: the arguments; Report: the report; Model "step": see above
  std::uint32_t revision = 1;    // counts the plans of the task
  std::uint64_t attempt = 1;     // how often the call was handed out
  Trust trust = Trust::Usual;    // Model "step": for judge_agent_call() about the calls of the agent
  std::vector<std::string> doubted_tools = {};   // Model "step": as ChainPolicy::doubted_tools, for the agent
  std::vector<std::string> called_tools = {};    // Model "step": as ChainPolicy::called_tools, for the agent
  std::uint64_t fencing_token = 0;   // Tool: as WaitingCall::fencing_token
};

// Says which run waits for the answer of an operation.
enum class OperationOwner : std::uint8_t { Driver, Steps, StepAgent, Feedback };

// The operations that wait, in the order in which they came up.
class OperationTable {
 public:
  struct Entry {
    ChainOperation operation;
    OperationOwner owner{};
    std::uint64_t call = 0;      // the number in the stored run; 0: the operation is no call
  };

  // Adds an operation, unless one of the owner has that call (or, without a call, that key).
  void add(ChainOperation operation, OperationOwner owner, std::uint64_t call = 0);
  // Returns the entry, or nullptr.
  Entry* find(std::uint64_t id);
  // Returns the entry of this kind for a step, or nullptr.
  Entry* find_of_step(OperationKind kind, std::string_view step);
  bool has(OperationOwner owner, std::uint64_t call) const;
  void remove(std::uint64_t id) { entries_.erase(id); }
  // Removes everything of the owner.
  void remove_all(OperationOwner owner);
  void remove_all(OperationOwner owner, std::string_view step);
  std::vector<ChainOperation> list() const;
  // Returns whether only people are waited for. The agent of a step that has doubts waits for people.
  bool waits_for_people() const;

 private:
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t next_ = 1;
};

}  // namespace ptcvm::chain
