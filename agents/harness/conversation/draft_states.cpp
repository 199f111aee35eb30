// Drafts and what became of them, as a conversation sees them. The log has one order: whether a draft was dismissed or
// its sending began first is the same for everybody, and the second of the two does not count. An edit is a dismissal
// and a new draft, and both count or none of them. A rewind and a sending are like that, too.
#include <algorithm>

#include "agents/harness/conversation/conversation_view.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

bool is_stamped_on_messages(FactType type) {
  constexpr FactType kStamped[] = {FactType::tool_call, FactType::tool_result,    FactType::planner_error,
                                   FactType::sleep,     FactType::agent_question, FactType::user_answer};
  return std::ranges::find(kStamped, type) != std::end(kStamped);
}

// Returns whether another process had gone on with the message before this one stopped. Older logs do not say.
bool is_of_earlier_sender(const json::object& body, const DraftState& draft) {
  return body.contains("resumed") && count_of(body, "resumed") != draft.resumed;
}

}  // namespace

// Returns whether the fact counts: a draft that replaces another one does when its own dismissal of that one did.
bool ConversationView::take_draft(const Fact& fact) {
  const std::string_view id = text_of(fact.body, "composeId"), replaced = text_of(fact.body, "replaces");
  if (fact.fact_class == HostFactClass::Observation && !replaced.empty()) {
    const auto other = drafts_.find(replaced);
    if (other == drafts_.end() || other->second.replaced_by != id) return false;
  }
  DraftState& draft = drafts_[std::string(id)];
  draft.seq = fact.seq;
  const auto writer = writers_.find(fact.seq);
  draft.writer = writer == writers_.end() ? 0 : writer->second;
  draft.is_dismissed = dismissed_.contains(id);
  if (!draft.is_dismissed) unsent_.emplace_back(id);
  return true;
}

void ConversationView::take_send(const HostFact& fact, const json::object& body) {
  const json::value* const seq = body.if_contains("draft");   // where the draft is; older logs do not say
  if (seq != nullptr) {
    const DraftState* const there = draft(text_of(body, "composeId"));
    const bool is_there = there != nullptr && *seq == there->seq && fact_at(there->seq) != nullptr;
    if (!is_there) return;   // a rewind dropped the draft first, and it is not sent
  }
  const auto known = drafts_.try_emplace(std::string(text_of(body, "composeId"))).first;
  DraftState& draft = known->second;
  if (fact.name == kSendFailed) {
    if (draft.in_flight != text_of(body, "messageId")) return;   // that message arrived first
    if (is_of_earlier_sender(body, draft)) return;
    draft.in_flight.clear();
    if (draft.is_sent) return;
    draft.is_approved = false;
    draft.send_error = text_of(body, "error");
    return;
  }
  ++draft.rounds;
  if (draft.is_dismissed || draft.is_sent) return;   // somebody dismissed or sent the draft first, and it is not sent
  attempts_[std::string(text_of(body, "messageId"))] = {known->first, draft.seq};
  draft.send_seq = fact.seq;
  draft.in_flight = text_of(body, "messageId");
  draft.next_state = text_of(body, "nextState");
  draft.place = text_of(body, "place");
  draft.resumed = 0;
  take_sender(fact, body);
  draft.is_approved = true;
  draft.send_error.clear();
}

// A draft is sent as soon as the log has a message under which it went out, also when an attempt failed or somebody
// said that it was lost: otherwise it would go out twice.
void ConversationView::take_sent(Fact& fact) {
  const std::string id(text_of(fact.body, "messageId"));   // the body moves its members as it grows
  const auto attempt = attempts_.find(id);
  if (attempt == attempts_.end()) return;
  fact.body["composeId"] = attempt->second.compose_id;
  const auto known = drafts_.find(attempt->second.compose_id);
  if (known == drafts_.end()) return;
  DraftState& draft = known->second;
  const bool flies = draft.in_flight == id;
  if (!flies && draft.seq != attempt->second.draft_seq) return;
  if (flies) draft.in_flight.clear();
  draft.is_sent = true;
  draft.sent_seq = fact.seq;
  draft.is_approved = true;
  draft.send_error.clear();
}

// In an older log the message of another side may have the id, and no message of this side follows.
void ConversationView::take_arrived(const HostFact& fact, const json::object& body) {
  const auto known = drafts_.find(text_of(body, "composeId"));
  const std::string_view id = text_of(body, "messageId");
  if (known == drafts_.end() || known->second.in_flight != id || !knows_message(id)) return;
  known->second.in_flight.clear();
  known->second.is_sent = true;
  known->second.sent_seq = fact.seq;
  std::erase(unsent_, known->first);
}

void ConversationView::take_sender(const HostFact& fact, const json::object& body) {
  const auto known = drafts_.find(text_of(body, "composeId"));
  if (known == drafts_.end() || known->second.in_flight != text_of(body, "messageId")) return;
  if (is_of_earlier_sender(body, known->second)) return;
  known->second.sender = text_of(body, "sender");
  known->second.sends_until_ms = static_cast<std::int64_t>(count_of(body, "until"));
  if (fact.name == kSendResumed) ++known->second.resumed;
}

// Returns whether the fact counts: a draft that is under way is not dismissed, and none is replaced twice.
bool ConversationView::take_dismissal(const Fact& fact) {
  const std::string_view id = text_of(fact.body, "composeId"), replacement = text_of(fact.body, "replacedBy");
  const auto known = drafts_.find(id);
  const bool is_known = known != drafts_.end();
  // A rewind looks at facts again whose draft was sent after them.
  const bool was_sent_later = is_known && known->second.is_sent && fact.seq < known->second.sent_seq;
  if (is_known && known->second.is_under_way() && !was_sent_later) return false;
  if (!replacement.empty() && (!is_known || known->second.is_dismissed)) return false;
  if (is_known && known->second.is_dismissed && !known->second.replaced_by.empty()) return false;
  if (is_known) {
    known->second.is_dismissed = true;
    known->second.replaced_by = replacement;
  }
  dismissed_.emplace(id);
  std::erase(unsent_, id);
  return true;
}

std::string_view ConversationView::draft_of_message(std::string_view message_id) const {
  const auto found = attempts_.find(message_id);
  return found == attempts_.end() ? std::string_view{} : std::string_view(found->second.compose_id);
}

const SendAttempt* ConversationView::attempt(std::string_view message_id) const {
  const auto found = attempts_.find(message_id);
  return found == attempts_.end() ? nullptr : &found->second;
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
