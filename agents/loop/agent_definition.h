// What an agent is: the data of an agent file. A definition owns all of its parts.
//
//   {"name": "orders", "prompt": "How many rows for {{customer}}?", "signature": "(customer :string) -> {count :int}",
//    "tools": [{"name": "lookup", "signature": "(id :int) -> {name :string}", "description": "…", "effect": "pure"}],
//    "children": {"summarize": {"prompt": "…", "signature": "(text :string) -> :string", "max_turns": 2}},
//    "max_turns": 5, "retry_turns": 1, "limits": {"model_calls": 20}, "plan": ["Check", ["ship", "Ship it"]]}
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptcvm/result.hpp"
#include "ptcvm/tools.hpp"

namespace ptcvm::loop {

// A tool of the host.
struct AgentTool {
  std::string name, signature, description;
  Effect effect = Effect::Unsafe;
  ToolMode mode = ToolMode::Sync;
  bool asks = false;                      // a person allows each call
  std::vector<std::string> command;       // for the command line: the program to start; empty: the host has the tool
};

// A step of the plan that is shown to the model.
struct PlanStep {
  std::string id, text;
};

// What an agent may use. Every number counts over the whole tree below the agent, except max_turns and
// retry_turns, which are its own.
struct AgentLimits {
  std::uint32_t max_turns = 5, retry_turns = 0;   // work turns; turns to mend an answer after them
  std::uint32_t turns = 20;
  std::uint32_t model_calls = 1'000, tool_calls = 1'000;
  std::uint64_t tokens = UINT64_MAX;              // input and output together
  std::uint32_t depth = 3;                        // levels of agents; the root is level 1
  std::uint32_t fan_out = 100;                    // children that run at once
  std::uint64_t transcript_bytes = 400'000;       // what follows the static part in a request
  std::uint64_t program_bytes = 64u << 10;
  std::uint64_t observation_bytes = 100'000;      // what the model is shown of one turn; 0: there is no limit
  std::int64_t deadline_ms = 0;                   // after the start of the run; 0: there is none
  // In millionths, at the prices of the host (AgentOptions::prices); 0: there is no limit. A child that has a limit
  // reserves it when it starts, and gives back what it did not use.
  std::uint64_t money = 0;
};

// Says what the model writes.
enum class AgentOutput : std::uint8_t {
  Program,   // programs
  Text,      // text; JSON when the signature has a result that is no text; native calls when there are tools
};

// Says what a request has of earlier turns.
enum class Compaction : std::uint8_t {
  Oldest,       // all of them; the oldest ones leave a request that would be too long, each call with its result
  OneMessage,   // one message of the user with a summary of each turn, and no reply of the model
};

// Says what happens when a budget is used up.
enum class OnExhausted : std::uint8_t { End, Ask };

struct AgentDefinition {
  std::string name, prompt, signature, description;
  std::vector<AgentTool> tools;
  // By name. A child that is null is the agent itself (":self" in the file).
  std::map<std::string, std::shared_ptr<const AgentDefinition>> children;
  AgentLimits limits;
  std::vector<PlanStep> plan;
  std::string plan_from;                   // the name of the data that has the plan, for a plan that is made; or ""
  bool has_journal = false;
  bool has_llm_query = false;              // the tool llm-query asks a model one question
  AgentOutput output = AgentOutput::Program;
  Compaction compaction = Compaction::Oldest;
  OnExhausted on_exhausted = OnExhausted::End;
  std::string system;                      // replaces the language part of the prompt when it is not empty
  // A program that is run instead of asking a model, or "". It may call tools and children in its only turn.
  std::string program;
  // A function (fn [input state] {"text" … "state" …}) that renders the progress instead of the checklist, or "".
  std::string progress;
};

// Reads a plan: a list of texts, of lists of an id and a text, or of objects with "id" and "text"; or an object that
// has such a list as "steps" or "plan". Error: invalid_value.
Result<std::vector<PlanStep>> read_plan(const boost::json::value& value);

// Reads an agent file. Error: invalid_value, and the message names the member.
Result<AgentDefinition> read_agent(const boost::json::value& file);
// Reads the text of an agent file.
Result<AgentDefinition> read_agent_text(std::string_view text);
// Writes the definition as read_agent() reads it, with a fixed order of members.
boost::json::object agent_json(const AgentDefinition& definition);

}  // namespace ptcvm::loop
