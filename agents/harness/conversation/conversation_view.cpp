#include "agents/harness/conversation/conversation_view.h"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::string_view kPassNotes[] = {"pass_parked",     "pass_cancelled",  "program_parked", kLetterNote,
                                           kProgramCallBegun, kProgramCallEnded, kSendStopped,
                                           kRemoteNote};

json::object read_body(const std::string& text) {
  boost::system::error_code error;
  json::value body = json::parse(text, error);
  return error || !body.is_object() ? json::object{} : std::move(body.get_object());
}

bool counts(const Fact& fact) {
  return fact.fact_class == HostFactClass::Observation || fact.fact_class == HostFactClass::Decision;
}

}   // namespace

void ConversationView::apply(const HostFact& fact) {
  log_seq_ = fact.seq;
  newest_ms_ = std::max(newest_ms_, fact.time_ms);
  if (!fact.is_of_host) return;
  take_place(fact);
  const std::optional<FactType> type = find_fact_type(fact.name);
  json::object body = read_body(fact.body);
  if (!type) return take_note(fact, body);
  if (fact.fact_class == HostFactClass::Decision) {
    if (*type != FactType::planner_error) kickoff_seq_ = 0;
    parked_pass_.reset();
  }
  if (fact.writer != 0) writers_[fact.seq] = fact.writer;
  if (*type == FactType::compose_dismissed) {
    const DraftState* const dropped = draft(text_of(body, "composeId"));
    if (dropped != nullptr && !dropped->is_under_way()) calls_.dismissed(dropped->writer);
  }
  const std::optional<json::object> cursor = cursor_in(fact, body);
  // Servers tell other messages of this side, too.
  const bool went_out = *type == FactType::message_sent && attempts_.contains(text_of(body, "messageId"));
  take({fact.seq, fact.time_ms, fact.fact_class, fact.by, *type, std::move(body)});
  if (went_out) calls_.said(fact.seq);
  if (cursor) take_cursor(fact, *cursor);
}

// Takes what a fact means for workers and for passes, whatever it says.
void ConversationView::take_place(const HostFact& fact) {
  if (fact.seq == 1) is_job_ = fact.name.starts_with(kConversationJob);
  if (fact.key.starts_with(kLetterKey)) {
    ++letters_;
    letter_seq_ = fact.seq;
  }
  const bool is_news = fact.fact_class == HostFactClass::Observation || fact.name == kKickoffNote;
  if (is_news && fact.writer == 0) news_seq_ = fact.seq;
  if (fact.name == kEndNote) has_ended_ = true;
  const bool is_about_pass = fact.fact_class == HostFactClass::Effect || std::ranges::count(kPassNotes, fact.name) != 0;
  if (!is_about_pass) pass_seq_ = fact.seq;
}

void ConversationView::take_note(const HostFact& fact, const json::object& body) {
  if (fact.name == kPlanCursor) take_cursor(fact, body);
  // A call of a pass that a rewind had ended before is not made.
  const bool is_made = !body.contains("generation") || count_of(body, "generation") == generation_;
  if (fact.name == kCallBegun && is_made) calls_.begun(body);
  if (fact.name == kCallEnded) calls_.ended(body);
  if (is_made || fact.name == kProgramCallEnded) take_program_call(fact, body);
  if (fact.name == kSettledNote) arrived_.emplace(text_of(body, "signal"));
  if (fact.name == kKickoffNote) kickoff_seq_ = fact.seq;
  if (fact.name == kSetupNote) setup_ = body;
  if (fact.name == kTaskNote) task_id_ = text_of(body, "id");
  if (fact.name == kRemoteNote) remote_ = text_of(body, "url");
  if (fact.name == "journal_rewound") {
    ++rewinds_;
    if (!yields(body)) rewind(fact, body);
  }
  if (fact.name == "send_started" || fact.name == kSendFailed) take_send(fact, body);
  if (fact.name == kSendArrived) take_arrived(fact, body);
  if (fact.name == kSendResumed || fact.name == kSendStopped) take_sender(fact, body);
  if (fact.name == "pass_parked") parked_pass_ = {read_seqs(body, "fired"), texts_of(body, "waits")};
  if (fact.name == "pass_cancelled") {
    parked_pass_.reset();
    ++cancelled_passes_;
  }
  if (fact.name == "program_parked") take_waits(body);
}

void ConversationView::take(Fact fact) {
  for (const WaitedFact& waited : waited_facts()) {
    if (waited.type != fact.type) continue;
    arrived_.insert(std::string(fact_info(fact.type).name) + "/" + std::string(text_of(fact.body, waited.key)));
  }
  switch (fact.type) {
    case FactType::status_changed:
      status_ = text_of(fact.body, "a2a");
      status_seq_ = fact.seq;
      break;
    case FactType::message_received:
    case FactType::message_sent: take_public(fact); break;
    case FactType::user_guidance: whisper_seq_ = fact.seq; break;
    case FactType::user_answer:
      answer_seq_ = fact.seq;
      if (question_ && text_of(facts_[*question_].body, "qid") == text_of(fact.body, "qid")) question_answered_ = true;
      break;
    case FactType::agent_question:
      question_ = facts_.size();
      question_answered_ = false;
      break;
    case FactType::compose_intent:
      if (!take_draft(fact)) return;
      break;
    case FactType::compose_dismissed:
      if (!take_dismissal(fact)) return;
      break;
    case FactType::attachment_added:
      attachments_.emplace(trimmed(text_of(fact.body, "name")), facts_.size());
      break;
    case FactType::message_refused:
    case FactType::tool_call:
    case FactType::tool_result:
    case FactType::agent_answer:
    case FactType::sleep:
    case FactType::planner_error:
    case FactType::timer_fired: break;
  }
  if (fact_info(fact.type).is_boundary) boundary_seq_ = fact.seq;
  if (counts(fact)) ++counted_;
  facts_.push_back(std::move(fact));
}

void ConversationView::take_public(Fact& fact) {
  last_public_ = fact.seq;
  last_public_is_inbound_ = fact.type == FactType::message_received;
  const std::string_view id = text_of(fact.body, "messageId");
  messages_.emplace(id);
  if (last_public_is_inbound_) return;
  unsent_.clear();
  take_sent(fact);
}

const Fact* ConversationView::open_question() const {
  return question_ && !question_answered_ ? &facts_[*question_] : nullptr;
}

const Fact* ConversationView::question_to_answer() const {
  if (const Fact* const newest = open_question(); newest != nullptr || !parked_pass_) return newest;
  const auto found = std::find_if(facts_.rbegin(), facts_.rend(), [this](const Fact& fact) {
    if (fact.type != FactType::agent_question) return false;
    const std::string signal = "user_answer/" + std::string(text_of(fact.body, "qid"));
    return !has_arrived(signal) && std::ranges::find(parked_pass_->waits, signal) != parked_pass_->waits.end();
  });
  return found == facts_.rend() ? nullptr : &*found;
}

bool ConversationView::has_refused(std::string_view message_id) const {
  return std::ranges::any_of(facts_, [message_id](const Fact& fact) {
    return fact.type == FactType::message_refused && text_of(fact.body, "messageId") == message_id;
  });
}

// A pass that proposes nothing leaves the error as the last fact, and its cursor says that it went well.
const Fact* ConversationView::last_failure() const {
  if (facts_.empty() || facts_.back().type != FactType::planner_error) return nullptr;
  const bool went_well = cursor_seq_ > facts_.back().seq && !has_failed_last_;
  return went_well ? nullptr : &facts_.back();
}

const Fact* ConversationView::given_up() const {
  const Fact* const failure = last_failure();
  return failure != nullptr && count_of(failure->body, "attempts") >= kMostAttempts ? failure : nullptr;
}

bool ConversationView::is_unbegun() const {
  return std::ranges::all_of(facts_, [](const Fact& fact) {
    const bool is_failure = fact.type == FactType::planner_error && fact.fact_class == HostFactClass::Decision;
    return is_failure || fact.fact_class == HostFactClass::Effect;
  });
}

bool ConversationView::wants_kickoff() const {
  if (!is_kickoff_armed() || !is_unbegun()) return false;
  const Fact* const failure = given_up();
  return failure == nullptr || failure->seq < kickoff_seq_;
}

const Fact* ConversationView::attachment(std::string_view name) const {
  const auto found = attachments_.find(trimmed(name));
  return found == attachments_.end() ? nullptr : &facts_[found->second];
}

const Fact* ConversationView::fact_at(std::uint64_t seq) const {
  const auto found = std::ranges::lower_bound(facts_, seq, {}, &Fact::seq);
  return found == facts_.end() || found->seq != seq ? nullptr : &*found;
}

}  // namespace ptcvm::harness
