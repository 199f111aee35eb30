// One pass of a planner, and the sending of what it drafted.
#pragma once
#include "agents/harness/harness.h"
#include "agents/harness/outbox.h"

namespace ptcvm::cli {

// A planner that wants more passes than this, one behind the other, is left.
inline constexpr int kMostPasses = 1'000;

// What a pass needs; all of it outlives the pass.
struct PassParts {
  harness::Conversation& conversation;
  harness::Outbox& outbox;
  harness::Harness& harness;
  harness::Planner& planner;
};

// Plans once, and sends the drafts when the mode is auto. Returns whether to look again. Errors: busy when another
// process plans; the errors of the store; why a draft could not be sent.
Result<bool> plan_once(const PassParts& parts, const harness::Author& author);

}  // namespace ptcvm::cli
