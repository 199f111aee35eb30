#include "tools/ptcvm/harness/harness_pass.h"

#include <ranges>
#include <string>
#include <vector>

namespace ptcvm::cli {

namespace {

// Sends the newest draft of the planner; what a person wrote waits for approval.
Result<void> send_drafts(const PassParts& parts, const harness::Author& author) {
  const harness::ConversationView& view = parts.conversation.view();
  const std::vector<std::string> drafts = view.unsent_drafts();
  for (const std::string& id : drafts | std::views::reverse) {
    const harness::DraftState* const draft = view.draft(id);
    if (draft == nullptr || draft->writer == 0) continue;
    return parts.outbox.send(id, std::nullopt, author);   // the turn passes: an older draft of an old log is left
  }
  return {};
}

}  // namespace

Result<bool> plan_once(const PassParts& parts, const harness::Author& author) {
  const harness::SenderTrace& trace = parts.outbox.trace();
  parts.harness.set_planner({trace.planner_type, trace.planner_seed});
  parts.harness.schedule();
  const auto verdict = parts.harness.begin(parts.clock());
  if (!verdict) return verdict.error();
  if (*verdict == harness::Verdict::Dismiss) return true;
  if (*verdict != harness::Verdict::Run) return false;
  const auto end = parts.harness.finish(parts.planner, parts.clock());
  if (!end) return end.error();
  if (*end == harness::PassEnd::Waiting) return false;
  if (parts.outbox.mode() != harness::SendMode::Auto) return true;
  const auto sent = send_drafts(parts, author);
  if (!sent) return sent.error();
  return true;
}

}  // namespace ptcvm::cli
