// The facts of a stored agent: their names, what their bodies hold, and what they tell a run.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/loop/agent_run.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {

inline constexpr std::string_view kStarted = "agent_started", kIntent = "intent", kModelSettled = "model_settled",
                                  kModelLost = "model_lost", kModelDeferred = "model_deferred",
                                  kResolved = "resolved", kRejected = "rejected", kPended = "pended",
                                  kCallBegun = "call_begun", kToolInDoubt = "tool_in_doubt",
                                  kInputGiven = "input_given", kBudgetRaised = "budget_raised",
                                  kBudgetLowered = "budget_lowered", kTimePassed = "time_passed",
                                  kTurnTaken = "turn_taken", kHooksSaid = "hooks_said",
                                  kSessionEnded = "session_ended";

// What HostParked::continuation says: the run goes on; the run is over when it ends; the run has ended and can be told
// more.
inline constexpr const char *kGoesOn = "agent", *kClosing = "closing", *kSession = "session";

inline constexpr std::string_view kMail = "mail/";   // with it the keys of letters begin

// The key of the n-th letter to a run, from 1, without gaps.
std::string mail_key(std::uint64_t number);
// Returns the number that the next letter to a run gets.
Result<std::uint64_t> next_mail(const HostLog& log);

// Returns a member of a body that is text; "" when there is none.
std::string fact_text(const boost::json::object& body, std::string_view name);

// The body of agent_started.
struct StartBody {
  std::string agent;        // the definition as JSON
  AgentStart start;
  std::string document;     // for a fork: the document in which it begins; else ""
};
std::string write_start(const StartBody& body);
Result<StartBody> read_start(std::string_view text);
Result<AgentRun> run_from_start(const Agent& agent, const StartBody& body);

// The body of most facts: what is answered, and with what.
struct AnswerBody {
  std::string path, key, text;
  std::string args = {};    // what an intent calls the tool with, for people; only when it is short
};
std::string write_answer(const AnswerBody& body);
// Says what a reply has cost, when the prices know it. `choice` is the model that was asked.
void price(ModelReply& reply, const ModelChoice& choice, const ModelPrices& prices);
// `choice` says how the reply is read. A whole reply is written as one document, without what a stream has around it.
std::string write_reply(std::string_view path, const ModelReply& reply, const ModelChoice& choice);
// Reads what write_reply() wrote.
ModelReply read_reply(const boost::json::object& body);
std::string write_turn(const AgentRun& run, std::uint32_t turn);

// The body of hooks_said: what hooks said, by points.
std::string write_verdicts(const std::vector<std::pair<std::string, std::string>>& verdicts);
// Tells the run what hooks said, so that it does not ask them again. Does nothing for another fact. The run has to know
// before it is told the facts behind which the hooks were asked.
void recall_verdicts(AgentRun& run, std::string_view name, std::string_view body);

// Tells the run what a fact says. Error: what the run refuses, or invalid_value for a body that cannot be read.
Result<void> apply_fact(AgentRun& run, std::string_view name, std::string_view body);

// Says for people which members of two definitions differ.
std::string changes_between(std::string_view before, std::string_view after);

}  // namespace ptcvm::loop
