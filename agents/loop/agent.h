// An agent that was checked: its signatures are read, its tools are known. A handle; copies are cheap, and any number
// of threads and runs may use them.
//
//   auto agent = Agent::make(engine, definition, {.model = {.name = "small"}});
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_definition.h"
#include "agents/loop/model_prices.h"
#include "agents/wire/request.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/run.hpp"

namespace ptcvm::loop {

// Says which model answers, and how requests for it are written.
struct ModelChoice {
  wire::Protocol protocol = wire::Protocol::Chat;
  std::string provider = {};               // names the server; what it signed goes back to the same name only
  std::string name = {};                   // the model, as the server calls it
  bool is_stream = false;
  std::optional<std::int64_t> most_output_tokens = {};
  std::optional<double> temperature = {};
};

// What a renderer of the progress sees.
struct ProgressInput {
  const std::vector<PlanStep>& plan;
  const std::vector<std::pair<std::string, std::string>>& summaries;   // ids and texts of (step-done id text)
  std::uint32_t turn = 1;                  // the turn that begins, from 1
  std::string_view state = {};             // ProgressOutput::state of the turn before, or ""
};

// What a renderer says, and what it wants to know in the next turn. Both are in the document of the run.
struct ProgressOutput {
  std::string text, state = {};
};

// Functions of the host around turns, requests and tools. `path` names the agent. Each function returns a verdict:
//
//   allow    goes on
//   change   goes on with something else; HookVerdict::args has the members that are listed below
//   deny     the run ends with the reason "denied" and the text; a reply that is denied is not run, and the model is
//            told the text
//   ask      a person decides: the run waits for an approval ("approve:turn:3", "approve:model:5", "approve:reply:5",
//            "approve:turn-end:3"). To resolve it with true allows; to reject it denies
//
// A function that throws has judged nothing. A call that it should have judged is not made, an answer is not given: the
// program gets a tool_error with "hook_failed". Around turns, requests and replies the run ends with this reason.
//
// A verdict is asked for once. AgentRun::take_verdicts() returns what hooks said; a StoredAgent writes it into the log,
// so a run that is made again from its log does not ask, and comes to the same bytes.
struct AgentHooks {
  // Judges a call before it is made; change has the arguments of the call. The run keeps the verdict.
  std::function<HookVerdict(std::string_view path, const AgentTool&, ToolCall&)> before_tool = {};
  // Sees the answer of a call; a returned value replaces it. Errors and answers of doubts are not seen.
  std::function<std::optional<Value>(std::string_view path, const AgentTool&, ValueView answer)> after_tool = {};
  // Judges a request before it is sent, each attempt by itself. Change: "note" ends the newest message; "model",
  // "temperature" and "most_output_tokens" are for this request.
  std::function<HookVerdict(std::string_view path, const wire::Request&)> before_model = {};
  // Judges a whole reply before it is read; replies of requests that failed are not judged. Change: "text", "program".
  std::function<HookVerdict(std::string_view path, const wire::Reply&)> after_model = {};
  // Judges a turn before it begins. Change: "say" is what the host says to the model in this turn.
  std::function<HookVerdict(std::string_view path, std::uint32_t turn)> before_turn = {};
  // Judges a turn that has ended, also the one whose value ends the run. Change: "feedback" is what the model is told.
  std::function<HookVerdict(std::string_view path, std::uint32_t turn, std::string_view feedback)> after_turn = {};
};

// A definition that a turn has made or changed.
struct TurnDefinition {
  std::string name;
  bool is_function = false;                // else it is a value
  std::string parameters;                  // "[x & more]"; "" for a value, and when the text of a function has none
  std::optional<std::uint32_t> arity;      // the least number of arguments, where the program says it
  std::string doc;                         // the docstring, or ""
};

// What Compaction::OneMessage keeps of a turn that has ended.
struct TurnSummary {
  std::uint32_t number = 1;
  std::string_view status;                 // as TurnView::kind
  std::string output;                      // prints or the value, and a line for each new definition
  std::string_view program;                // what a last turn that has failed has run; else ""
  std::vector<TurnDefinition> definitions = {};   // for AgentOptions::compact; hidden names are left out
};

// Returns the limits that the programs of agents have when the host sets no others: the defaults of runs, but prints
// may be longer, and operations never expire.
Limits default_program_limits();

struct AgentOptions {
  ModelChoice model = {};
  std::function<std::optional<ModelChoice>(std::string_view child)> model_of = {};   // for children; by path
  AgentHooks hooks = {};
  // Replaces the checklist; called once when a turn begins. An error ends the run with the reason "progress_failed";
  // so does what it throws.
  std::function<Result<ProgressOutput>(const ProgressInput&)> progress = {};
  // Writes what a request has of earlier turns, for agents with Compaction::OneMessage: the same turns give the same
  // text. Without it the turns that went well are told one after another, and the last one when it failed.
  std::function<std::string(const std::vector<TurnSummary>&)> compact = {};
  // What models cost, for AgentLimits::money and AgentUsage::money. A reply that was counted keeps its price, also when
  // the run goes on with other prices. A limit of money ends a run when nobody knows the price of a reply.
  ModelPrices prices = {};
  // The limits of each program of each agent. A run that a store keeps needs the same ones whenever it goes on.
  Limits program_limits = default_program_limits();
  std::function<void(std::string_view path, std::string_view text)> on_token = {};   // text that AgentRun::chunk() read
};

class Agent {
 public:
  struct Impl;   // internal
  // Checks the definition with its children. Errors: invalid_signature; invalid_value when names clash, or when the
  // prompt names data that the signature does not have. The message begins with the path of the agent.
  static Result<Agent> make(const Engine& engine, AgentDefinition definition, AgentOptions options = {});

  // Makes the same agent with another program in the place of its own (AgentDefinition::program).
  Result<Agent> with_program(std::string program) const;

  const AgentDefinition& definition() const;
  const Impl& impl() const { return *impl_; }   // internal

 private:
  explicit Agent(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ptcvm::loop
