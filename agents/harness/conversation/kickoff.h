// How a conversation begins, and when a pass is asked for besides: the person says "begin", a planner becomes ready.
#pragma once
#include <cstdint>

#include "agents/harness/conversation/conversation.h"

namespace ptcvm::harness {

// What must be there before a planner may be asked.
struct PlannerReadiness {
  bool is_on = true;         // a planner is chosen
  bool is_ready = false;     // its configuration is complete
  bool has_adapter = false;  // there is a transport
  bool has_task = false;     // the conversation has begun
};

// Remembers wishes for a pass until the planner can be asked. Each function returns whether to schedule a pass now.
class Kickoff {
 public:
  // Asks for a pass once.
  bool request_replan();
  // Begins a conversation: arms the latch, and asks for a pass when there is a transport. Does nothing when the
  // conversation has begun, a draft waits, or the planner is not ready.
  Result<bool> begin(Conversation& conversation, const PlannerReadiness& readiness, const Author& author);
  // Says what is there now.
  bool update(const PlannerReadiness& readiness, bool is_latch_armed);
  std::uint64_t nonce() const { return nonce_; }   // counts the wishes

 private:
  std::uint64_t nonce_ = 0, served_ = 0;
  bool is_open_ = false;
};

}  // namespace ptcvm::harness
