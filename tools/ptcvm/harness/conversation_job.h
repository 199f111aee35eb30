// A conversation as a job of a queue: what `ptcvm enqueue --conversation` writes, and what a worker reads. The log of
// the job is the log of the conversation; its planner keeps ID/planner…, and requests to its model are in ID/model.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/sending/outbox.h"
#include "agents/loop/agent_definition.h"
#include "tools/ptcvm/harness/harness_session.h"

namespace ptcvm::cli {

// QueuedJob::kind. A conversation has the second kind when its planner asks a model.
inline constexpr const char *kConversationKind = "conversation", *kModelConversationKind = "conversation-with-model";

struct ConversationJob {
  std::string planner;                        // an id of planner_seed.h; "" with a program or an agent
  std::string program;                        // the source
  std::optional<loop::AgentDefinition> agent = {};   // without commands
  boost::json::object config;                 // the planner reads it; the scenario is inside
  std::string peer;                           // the conversation of the other side; "": others carry messages
  harness::SendMode mode = harness::SendMode::Approve;
  bool begins = false;                        // the person wants to begin
  std::optional<std::int64_t> idle_ms = {};   // the conversation is over when nobody said anything for so long

  bool asks_model() const;
  const char* kind() const { return asks_model() ? kModelConversationKind : kConversationKind; }
};

// Reads the files that the arguments name. Returns nullopt when one cannot be used; `message` then says why.
std::optional<ConversationJob> conversation_job(const HarnessArguments& arguments, std::string& message);
// Takes the commands of tools out of the job, because a worker executes its own commands only. Returns the names of the
// tools that the planner calls, sorted: a worker must have them. nullopt, with the reason: the program is wrong.
std::optional<std::vector<std::string>> take_commands(ConversationJob& job, std::string& message);

std::string write_conversation_job(const ConversationJob& job);
Result<ConversationJob> read_conversation_job(std::string_view text);

}  // namespace ptcvm::cli
