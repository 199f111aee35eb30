// Calls in doubt of the agents that do steps: where the store has them, and what people have said about them.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/chain/run/question_log.h"
#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// Returns the id of the run of an agent. `runs`: a job, with this the ids of its agents begin, "ID/agents/". `key` is
// the key of the call that the step makes.
std::string step_agent_run(const std::string& runs, const std::string& key, const std::string& step,
                           std::uint32_t revision);
// Returns the key that names a doubt of such a run in every process.
std::string agent_doubt_key(const std::string& run, const std::string& path);
// Returns the tool of a doubt: "pay" for "doubt:pay#2@3".
std::string doubted_tool(const std::string& path);

// Returns whether the question is a doubt of the agent of a step.
bool is_of_agent(const chain::LoggedQuestion& question);
// Tell an agent that a call happened, with its output, or did not happen. The agent hears it when its step goes on.
Result<void> tell_step_agent(const Store& store, const std::string& run, const std::string& path, DoubtAnswer answer,
                             const boost::json::value& output);
Result<void> tell_agent_of(const Store& store, const chain::LoggedQuestion& question, DoubtAnswer answer,
                           const boost::json::value& output);

// Says for people what became of a call: equal words for equal outputs.
std::string doubt_words(DoubtAnswer answer, const boost::json::value& output);

// Says which doubts of agents are read: those that are open, or also those that people have settled.
enum class AgentQuestions : std::uint8_t { Open, All };

// Returns the questions of a task, as chain::read_questions() does, and behind them the doubts of its agents.
Result<std::vector<chain::LoggedQuestion>> task_questions(const Store& store, const std::string& id,
                                                          AgentQuestions which);

}  // namespace ptcvm::cli
