#include "agents/harness/conversation/conversation_view.h"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

json::object seqs_json(const TriggerSeqs& seqs) {
  return {{"status", seqs.status},
          {"inbound", seqs.inbound},
          {"outbound", seqs.outbound},
          {"whisper", seqs.whisper},
          {"answer", seqs.answer}};
}

namespace {

constexpr std::string_view kPassNotes[] = {"pass_parked",      "pass_cancelled", "program_parked", kLetterNote,
                                           kProgramCallBegun, kProgramCallEnded};

std::uint64_t seq_of(const json::object& body, std::string_view member) {
  const json::value* const found = body.if_contains(member);
  if (found == nullptr || !found->is_number()) return 0;
  boost::system::error_code error;
  const auto number = found->to_number<std::uint64_t>(error);
  return error ? 0 : number;
}

TriggerSeqs read_seqs(const json::object& body, std::string_view member) {
  const json::value* const found = body.if_contains(member);
  if (found == nullptr || !found->is_object()) return {};
  const json::object& seqs = found->get_object();
  return {seq_of(seqs, "status"), seq_of(seqs, "inbound"), seq_of(seqs, "outbound"),
          seq_of(seqs, "whisper"), seq_of(seqs, "answer")};
}

PlannerName read_planner(const json::object& body) {
  const json::value* const seed = body.if_contains("seed");
  return {std::string(text_of(body, "planner")), seed == nullptr ? json::value() : *seed};
}

PlanCursor read_cursor(const json::object& body) {
  return {seq_of(body, "generation"), read_seqs(body, "planned"), read_seqs(body, "failing"),
          static_cast<std::uint32_t>(seq_of(body, "attempts")), read_planner(body)};
}

std::vector<ProgramWait> read_waits(const json::object& body) {
  std::vector<ProgramWait> waits;
  const json::array* const list = array_at(body, "waits");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (!(*list)[i].is_object()) continue;
    const json::object& wait = (*list)[i].get_object();
    waits.push_back({std::string(text_of(wait, "signal")), static_cast<std::int64_t>(seq_of(wait, "deadline"))});
  }
  return waits;
}

json::object read_body(const std::string& text) {
  boost::system::error_code error;
  json::value body = json::parse(text, error);
  return error || !body.is_object() ? json::object{} : std::move(body.get_object());
}

bool counts(const Fact& fact) {
  return fact.fact_class == HostFactClass::Observation || fact.fact_class == HostFactClass::Decision;
}

// Returns whether the fact is an attachment that the person or the other side gave.
bool is_file_of_others(const Fact& fact) {
  return fact.type == FactType::attachment_added && text_of(fact.body, "origin") != "synthesized";
}

// Returns whether the fact survives that the person wants another draft.
bool is_kept(const Fact& fact) {
  switch (fact_info(fact.type).on_regenerate) {
    case OnRegenerate::Keep: return true;
    case OnRegenerate::Drop: return false;
    case OnRegenerate::DropDecided: return fact.fact_class != HostFactClass::Decision || is_file_of_others(fact);
  }
  return true;
}

}  // namespace

std::string timer_of(std::string_view program, std::string_view signal) {
  return std::string(program).append("/").append(signal);
}

std::string timer_signal(std::string_view timer) { return "timer_fired/" + std::string(timer); }

json::object cursor_json(const PlanCursor& cursor) {
  json::object body{{"generation", cursor.generation},
                    {"planned", seqs_json(cursor.planned)},
                    {"failing", seqs_json(cursor.failing)},
                    {"attempts", cursor.attempts}};
  if (cursor.planner.type.empty()) return body;
  body["planner"] = cursor.planner.type;
  body["seed"] = cursor.planner.seed;
  return body;
}

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
  const std::size_t were_in_flight = *type == FactType::message_sent ? in_flight() : 0;
  take({fact.seq, fact.time_ms, fact.fact_class, fact.by, *type, std::move(body)});
  const bool went_out = were_in_flight != 0 && in_flight() < were_in_flight;   // servers tell other messages, too
  if (went_out) calls_.said(fact.seq);
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
  if (fact.name == "plan_cursor") {
    cursor_ = read_cursor(body);
    if (cursor_.attempts == 0) calls_.committed(fact.seq, fact.writer);
    if (!is_of_failure(fact.seq)) kickoff_seq_ = 0;   // a pass that proposes nothing uses the wish up, too
    if (!cursor_.planner.type.empty()) planners_[fact.writer] = cursor_.planner;
    parked_pass_.reset();
  }
  // A call of a pass that a rewind had ended before is not made.
  const bool is_made = !body.contains("generation") || seq_of(body, "generation") == generation_;
  if (fact.name == kCallBegun && is_made) calls_.begun(body);
  if (fact.name == kCallEnded) calls_.ended(body);
  if (is_made || fact.name == kProgramCallEnded) take_program_call(fact, body);
  if (fact.name == kSettledNote) arrived_.emplace(text_of(body, "signal"));
  if (fact.name == kKickoffNote) kickoff_seq_ = fact.seq;
  if (fact.name == kSetupNote) setup_ = body;
  if (fact.name == kTaskNote) task_id_ = text_of(body, "id");
  if (fact.name == "journal_rewound") {
    ++rewinds_;
    if (!yields(body)) rewind(fact, body);
  }
  if (fact.name == "send_started" || fact.name == "send_failed") take_send(fact, body);
  if (fact.name == "pass_parked") parked_pass_ = {read_seqs(body, "fired"), texts_of(body, "waits")};
  if (fact.name == "pass_cancelled") {
    parked_pass_.reset();
    ++cancelled_passes_;
  }
  if (fact.name == "program_parked") {
    std::vector<ProgramWait>& waits = program_waits_[std::string(text_of(body, "program"))];
    waits = read_waits(body);
    for (const ProgramWait& wait : waits) {   // a call that is made again may be in doubt again
      if (is_settled_signal(wait.signal)) arrived_.erase(wait.signal);
    }
  }
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
  for (auto& [compose_id, draft] : drafts_) {
    if (draft.in_flight.empty() || draft.in_flight != id) continue;
    draft.in_flight.clear();
    draft.is_sent = true;
    fact.body["composeId"] = compose_id;
    break;
  }
}

// Returns whether the rewind does not count, because of what was begun before it. Older logs do not ask.
bool ConversationView::yields(const json::object& body) const {
  const std::string_view yields = text_of(body, "yields");
  if (yields.empty()) return false;
  return in_flight() != 0 || (yields == "calls" && has_unknown_call(text_of(body, "keeps") != "nothing"));
}

void ConversationView::rewind(const HostFact& fact, const json::object& body) {
  const std::uint64_t to = seq_of(body, "to");
  const bool keeps_human = text_of(body, "keeps") != "nothing";
  ++generation_;
  if (!keeps_human) {
    ++epoch_;
    task_id_.clear();
    calls_.forget();
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

std::vector<ProgramWait> ConversationView::program_waits(std::string_view program) const {
  const auto found = program_waits_.find(program);
  return found == program_waits_.end() ? std::vector<ProgramWait>{} : found->second;
}

bool ConversationView::is_waited_for(std::string_view signal) const {
  return parked_pass_ && std::ranges::find(parked_pass_->waits, signal) != parked_pass_->waits.end();
}

// Calls `visit` with each timer that has not fired, and with its deadline.
template <class Visit>
void ConversationView::each_timer(const Visit& visit) const {
  for (const auto& [program, waits] : program_waits_) {
    for (const ProgramWait& wait : waits) {
      if (wait.deadline_ms == 0 || !is_waited_for(wait.signal) || has_arrived(wait.signal)) continue;
      std::string timer = timer_of(program, wait.signal);
      if (!has_arrived(timer_signal(timer))) visit(std::move(timer), wait.deadline_ms);
    }
  }
}

std::vector<std::string> ConversationView::due_timers(std::int64_t now_ms) const {
  std::vector<std::string> due;
  each_timer([&](std::string timer, std::int64_t deadline_ms) {
    if (deadline_ms <= now_ms) due.push_back(std::move(timer));
  });
  return due;
}

std::optional<std::int64_t> ConversationView::next_timer() const {
  std::optional<std::int64_t> next;
  each_timer([&next](const std::string&, std::int64_t deadline_ms) {
    next = std::min(next.value_or(deadline_ms), deadline_ms);
  });
  return next;
}

bool ConversationView::may_resume() const {
  if (!parked_pass_) return false;
  if (std::ranges::any_of(parked_pass_->waits, [this](const auto& wait) { return has_arrived(wait); })) return true;
  return std::ranges::any_of(program_waits_, [this](const auto& entry) {
    return std::ranges::any_of(entry.second, [this, &entry](const ProgramWait& wait) {
      return is_waited_for(wait.signal) && has_arrived(timer_signal(timer_of(entry.first, wait.signal)));
    });
  });
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

// A pass that failed writes its planner_error and its cursor in one transaction, one after the other.
bool ConversationView::is_of_failure(std::uint64_t cursor_seq) const {
  return !facts_.empty() && facts_.back().type == FactType::planner_error && facts_.back().seq + 1 == cursor_seq;
}

const Fact* ConversationView::given_up() const {
  const bool failed = !facts_.empty() && facts_.back().type == FactType::planner_error;
  return failed && seq_of(facts_.back().body, "attempts") >= kMostAttempts ? &facts_.back() : nullptr;
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
