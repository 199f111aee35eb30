#include "agents/harness/conversation/kickoff.h"

#include <utility>

namespace ptcvm::harness {

bool Kickoff::request_replan() {
  ++nonce_;
  if (!is_open_) return false;
  served_ = nonce_;
  return true;
}

Result<bool> Kickoff::begin(Conversation& conversation, const PlannerReadiness& readiness, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const ConversationView& view = conversation.view();
  const bool may_begin = readiness.is_on && readiness.is_ready && !readiness.has_task && view.status().empty() &&
                         view.unsent_draft().empty();
  if (!may_begin) return false;
  if (!view.is_kickoff_armed()) {
    if (const Result<void> armed = conversation.arm_kickoff(author); !armed) return armed.error();
  }
  if (!readiness.has_adapter) return false;
  const bool scheduled = request_replan();
  return scheduled || update(readiness, true);
}

bool Kickoff::update(const PlannerReadiness& readiness, bool is_latch_armed) {
  const bool was_open = std::exchange(is_open_, readiness.is_on && readiness.is_ready && readiness.has_adapter);
  if (!is_open_ || was_open) return false;
  const bool has_wish = served_ != nonce_ || is_latch_armed;
  served_ = nonce_;
  return has_wish;
}

}  // namespace ptcvm::harness
