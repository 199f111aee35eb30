// The model of a planner of a worker. Each request is written down before it goes out, and its reply when it is there,
// in the log ID/model: a reply that came is never asked for again, and a request that was lost is counted.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/planners/model_text.h"
#include "tools/ptcvm/agent/agent_models.h"
#include "tools/ptcvm/chain/chain_job_log.h"
#include "tools/ptcvm/harness/harness_agent.h"

namespace ptcvm::cli {

// One thread uses the object.
class ConversationModel {
 public:
  // Everything given must outlive the object. `store` has the claim of the worker.
  ConversationModel(OpenedModel model, const Store& store, const harness::Conversation& conversation,
                    const PlannerWork& work)
      : model_(std::move(model)), store_(store), conversation_(conversation), work_(work) {}
  ~ConversationModel();
  ConversationModel(const ConversationModel&) = delete;
  ConversationModel& operator=(const ConversationModel&) = delete;

  // Returns what the model wrote. Throws PassLeft when the request has to wait, or the worker stops. Throws
  // StoreRefused when the store fails: that is no failure of the planner.
  Result<std::string> ask(const harness::ModelQuestion& question);

 private:
  void open();
  std::string key_of(const harness::ModelQuestion& question);
  void wait_for_turn(const std::string& key);
  ModelAnswer answer_to(const harness::ModelQuestion& question, const std::string& sent, std::uint32_t attempt);
  // Returns the text, or the error; nullopt: asked again.
  std::optional<Result<std::string>> take(const std::string& key, std::uint32_t attempt, const ModelAnswer& answer);

  OpenedModel model_;
  const Store& store_;
  const harness::Conversation& conversation_;
  const PlannerWork& work_;
  std::optional<ChainJobLog> log_;
  std::map<std::string, int> asked_;     // how often a pass has asked a question
};

// Is thrown through a planner when the store fails.
struct StoreRefused {
  Error error;
};

// Returns the log of the requests of a conversation.
std::string model_log(const std::string& conversation);

}  // namespace ptcvm::cli
