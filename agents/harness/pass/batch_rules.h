// The rules for what a planner proposes.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::harness {

// Why a batch is refused.
struct BatchRefusal {
  std::string_view code;   // DISALLOWED_FACT, MISSING_ATTACHMENT
  std::string message;     // says which fact, and what is wrong with it
};

// Returns why planners may not propose these facts after this journal, or nullopt when they may. A planner proposes
// only facts of its own and at most one draft, which has a text or an attachment, attaches only what is there or comes
// with the batch, and synthesizes attachments only by a tool call that succeeded, in the journal or in the batch.
std::optional<BatchRefusal> refuse_batch(const ConversationView& view, std::span<const ProposedFact> batch);

// Returns whether the last fact of the batch is a draft, a question or a sleep.
bool is_ended(std::span<const ProposedFact> batch);
// Returns whether any fact of the batch is a draft, a question or a sleep.
bool has_end(std::span<const ProposedFact> batch);

}  // namespace ptcvm::harness
