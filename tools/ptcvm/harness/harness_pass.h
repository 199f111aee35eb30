// One pass of a planner, and the sending of what it drafted.
#pragma once
#include <cstdint>
#include <functional>

#include "agents/harness/pass/harness.h"
#include "agents/harness/sending/outbox.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

// A planner that wants more passes than this, one behind the other, is left.
inline constexpr int kMostPasses = 1'000;

// What a pass needs; all of it outlives the pass.
struct PassParts {
  harness::Conversation& conversation;
  harness::Outbox& outbox;
  harness::Harness& harness;
  harness::Planner& planner;
  std::function<std::int64_t()> clock = now_millis;   // ms since 1970
};

// Is thrown through a planner of a worker that must leave the pass where it is; it is no failure of the planner. What
// tasks of the pass did is kept, and the next worker begins the pass again.
struct PassLeft {
  std::int64_t due_ms = 0;   // when the pass may go on; 0: at once, at another worker
};

// Plans once, and sends the drafts when the mode is auto. Returns whether to look again. Errors: busy when another
// process plans; the errors of the store; why a draft could not be sent.
Result<bool> plan_once(const PassParts& parts, const harness::Author& author);

}  // namespace ptcvm::cli
