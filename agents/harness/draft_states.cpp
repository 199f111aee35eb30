// Drafts and what became of them, as a conversation sees them. The log has one order: whether a draft was dismissed or
// its sending began first is the same for everybody, and the second of the two does not count.
#include <algorithm>

#include "agents/harness/conversation_view.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

bool is_stamped_on_messages(FactType type) {
  constexpr FactType kStamped[] = {FactType::tool_call, FactType::tool_result,    FactType::planner_error,
                                   FactType::sleep,     FactType::agent_question, FactType::user_answer};
  return std::ranges::find(kStamped, type) != std::end(kStamped);
}

}  // namespace

void ConversationView::take_draft(const Fact& fact) {
  const std::string_view id = text_of(fact.body, "composeId");
  DraftState& draft = drafts_[std::string(id)];
  draft.seq = fact.seq;
  const auto writer = writers_.find(fact.seq);
  draft.writer = writer == writers_.end() ? 0 : writer->second;
  draft.is_dismissed = dismissed_.contains(id);
  if (!draft.is_dismissed) unsent_.emplace_back(id);
}

void ConversationView::take_send(const HostFact& fact, const json::object& body) {
  const auto known = drafts_.try_emplace(std::string(text_of(body, "composeId"))).first;
  DraftState& draft = known->second;
  if (fact.name == "send_failed") {
    draft.in_flight.clear();
    draft.is_approved = false;
    draft.send_error = text_of(body, "error");
    return;
  }
  ++draft.rounds;
  if (draft.is_dismissed) return;   // somebody dismissed the draft first, and it is not sent
  draft.send_seq = fact.seq;
  draft.in_flight = text_of(body, "messageId");
  draft.next_state = text_of(body, "nextState");
  draft.is_approved = true;
  draft.send_error.clear();
}

void ConversationView::take_dismissal(std::string_view id) {
  const auto known = drafts_.find(id);
  if (known != drafts_.end()) {
    if (known->second.is_under_way()) return;
    known->second.is_dismissed = true;
  }
  dismissed_.emplace(id);
  std::erase(unsent_, id);
}

const DraftState* ConversationView::draft(std::string_view compose_id) const {
  const auto found = drafts_.find(compose_id);
  return found == drafts_.end() || found->second.seq == 0 ? nullptr : &found->second;
}

std::size_t ConversationView::in_flight() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(drafts_, [](const auto& entry) { return !entry.second.in_flight.empty(); }));
}

const PlannerName* ConversationView::planner_of(const DraftState& draft) const {
  const auto found = planners_.find(draft.writer);
  return draft.writer == 0 || found == planners_.end() ? nullptr : &found->second;
}

std::vector<ProposedFact> ConversationView::batch_of(const DraftState& draft) const {
  std::vector<ProposedFact> batch;
  if (draft.writer == 0) return batch;
  for (const auto& [seq, writer] : writers_) {
    const Fact* const fact = writer == draft.writer ? fact_at(seq) : nullptr;
    if (fact != nullptr && is_stamped_on_messages(fact->type)) batch.push_back({fact->type, fact->body});
  }
  return batch;
}

}  // namespace ptcvm::harness
