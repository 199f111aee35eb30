// Rewinds of a conversation: which facts count no longer, and what begins anew. A rewind and the beginning of a send or
// of a call are in one log, and the first of the two counts.
#include <algorithm>

#include "agents/harness/conversation/conversation_view.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

// Returns whether the fact is an attachment that the person or the other side gave.
bool is_file_of_others(const Fact& fact) {
  return fact.type == FactType::attachment_added && text_of(fact.body, "origin") != "synthesized";
}

// Returns whether the fact survives that the person wants another draft.
bool is_kept(const Fact& fact) {
  switch (fact_info(fact.type).on_regenerate) {
    case OnRegenerate::Keep:
      return true;
    case OnRegenerate::Drop:
      return false;
    case OnRegenerate::DropDecided:
      return fact.fact_class != HostFactClass::Decision || is_file_of_others(fact);
  }
  return true;
}

}   // namespace

// Returns whether the rewind does not count, because of what was begun before it. Older logs do not ask.
bool ConversationView::yields(const json::object& body) const {
  const std::string_view yields = text_of(body, "yields");
  if (yields.empty()) return false;
  return in_flight() != 0 || (yields == "calls" && has_unknown_call(text_of(body, "keeps") != "nothing"));
}

void ConversationView::rewind(const HostFact& fact, const json::object& body) {
  const std::uint64_t to = count_of(body, "to");
  const bool keeps_human = text_of(body, "keeps") != "nothing";
  ++generation_;
  if (!keeps_human) {
    ++epoch_;
    task_id_.clear();
    calls_.forget();
    std::erase_if(attempts_, [this](const auto& attempt) {   // what the other side tells of an earlier task is no news
      const auto draft = drafts_.find(attempt.second.compose_id);
      return draft == drafts_.end() || draft->second.in_flight != attempt.first;
    });
  }
  calls_.rewound(to);
  if (parked_pass_) ++cancelled_passes_;   // the next pass is another one
  parked_pass_.reset();
  std::vector<Fact> before = std::move(facts_);
  forget_derived();
  for (Fact& kept : before) {
    const bool is_done = kept.fact_class == HostFactClass::Effect || kept.fact_class == HostFactClass::Control;
    // An agent that begins anew asks in another run, and who forgets everything forgets questions.
    const bool is_asked_no_more = kept.type == FactType::agent_question && (!keeps_human || kept.body.contains("run"));
    if (kept.seq > to && (!is_done || is_asked_no_more) && (!keeps_human || !is_kept(kept))) continue;
    take(std::move(kept));
  }
  for (auto draft = drafts_.begin(); draft != drafts_.end();) {
    draft->second.send_error.clear();
    draft->second.is_approved = false;
    draft = draft->second.is_sent || fact_at(draft->second.seq) != nullptr ? std::next(draft) : drafts_.erase(draft);
  }
  if (to == 0 && !keeps_human) kickoff_seq_ = 0;
  log_seq_ = fact.seq;
}

std::size_t ConversationView::counted_after_regenerating() const {
  ConversationView after = *this;
  HostFact rewound;
  rewound.seq = log_seq_ + 1;
  after.rewind(rewound, {{"to", boundary_seq_}, {"keeps", "human"}});
  return after.counted_ + after.unsent_.size();   // a draft that is left is dismissed, which is one more fact
}

void ConversationView::forget_derived() {
  facts_.clear();
  counted_ = 0;
  status_.clear();
  status_seq_ = last_public_ = whisper_seq_ = answer_seq_ = boundary_seq_ = 0;
  last_public_is_inbound_ = question_answered_ = false;
  question_.reset();
  unsent_.clear();
  dismissed_.clear();
  messages_.clear();
  arrived_.clear();
  attachments_.clear();
}

}   // namespace ptcvm::harness
