#include "agents/harness/sending/outbox.h"

#include "agents/harness/conversation/ingestion.h"
#include "agents/harness/conversation/taken_messages.h"
#include "agents/harness/conversation/told_messages.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

Error no_adapter() {
  return {Errc::wrong_state, "no adapter: there is no transport to send with", std::nullopt, {}};
}

// What a failed attempt says of the message.
enum class Fate : std::uint8_t { Refused, NotTaken, NotReached, Unknown };

Fate fate_of(const Error& error) {
  if (error.detail == kMayBeSent || error.code == Errc::store_failed) return Fate::Unknown;
  if (error.detail == kNotTaken) return Fate::NotTaken;
  const bool is_refusal = error.code == Errc::wrong_state || error.code == Errc::invalid_value;
  return is_refusal && error.detail != kNotReached ? Fate::Refused : Fate::NotReached;
}

// Leaves failures of sending with the draft; passes on the others.
Result<void> kept_with_draft(Result<void> sent) {
  if (!sent && (sent.error().code == Errc::store_failed || sent.error().code == Errc::busy)) return sent;
  return {};
}

}  // namespace

std::string_view send_mode_name(SendMode mode) { return mode == SendMode::Auto ? "auto" : "approve"; }

std::optional<SendMode> find_send_mode(std::string_view name) {
  if (name == "auto") return SendMode::Auto;
  if (name == "approve") return SendMode::Approve;
  return std::nullopt;
}

Result<void> Outbox::send(std::string_view compose_id, const std::optional<std::string>& next_state,
                          const Author& author) {
  if (transport_ == nullptr) return no_adapter();
  if (const Result<void> looked = look_for_earlier(compose_id, author); !looked) return looked;
  const std::string nonce = new_nonce_ ? new_nonce_() : std::string();
  const Result<Sending> sending =
      begin_send(conversation_, compose_id, next_state, trace_, nonce, transport_->place(), now(author));
  if (!sending) return sending.error();
  return deliver(*sending, true, author);
}

// A person may have said that an earlier message of the draft was lost, and the task of the other side has it all the
// same: the draft was sent then. When the other side cannot be asked, the word of the person counts.
Result<void> Outbox::look_for_earlier(std::string_view compose_id, const Author& author) {
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  const DraftState* const draft = conversation_.view().draft(compose_id);
  if (draft == nullptr || draft->rounds == 0 || !draft_waits(conversation_.view(), compose_id)) return {};
  if (!draft->place.empty() && draft->place != transport_->place()) return {};
  return kept_with_draft(tick(author));
}

Result<SendTurn> Outbox::turn_of(const Sending& sending, const Author& author) {
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  const Result<std::int64_t> now_ms = conversation_.log().store_time_ms(now(author).now_ms);
  if (!now_ms) return now_ms.error();
  return turn_to_send(conversation_.view(), sending, *now_ms);
}

Result<void> Outbox::deliver(const Sending& sending, bool is_first, const Author& author) {
  std::string error;
  bool may_be_sent = false, is_last = false;
  for (std::uint32_t attempt = 0;; ++attempt) {   // what became of the message is written behind a look, too
    const Result<SendTurn> turn = turn_of(sending, author);
    if (!turn) return turn.error();
    if (*turn == SendTurn::Arrived) return {};
    if (*turn == SendTurn::Ended || *turn == SendTurn::Elsewhere) {
      return Error{Errc::wrong_state, std::string(why_not_sent(*turn)), std::nullopt, {}};
    }
    if (is_last || attempt == kSendAttempts) break;
    if (*turn != SendTurn::Ours) {
      error.append(error.empty() ? "" : "; ").append(why_not_sent(*turn));
      may_be_sent = may_be_sent || !is_first;
      break;
    }
    const Result<json::object> task = transport_->send(sending.message);
    if (task) {
      std::vector<ProposedFact> facts = facts_of_message(sending.message);
      const std::vector<ProposedFact> heard = heard_in(*task);
      facts.insert(facts.end(), heard.begin(), heard.end());
      const auto sent = conversation_.observe_sent(sending.message_id, std::move(facts), author);
      return sent ? say_refused(heard, author) : sent;
    }
    error = task.error().message;
    const Fate fate = fate_of(task.error());
    const bool says_of_message = fate == Fate::Refused;   // otherwise only of this attempt
    may_be_sent = may_be_sent || fate == Fate::Unknown || (!says_of_message && !is_first);
    is_last = fate == Fate::Refused || fate == Fate::NotTaken;
    if (fate == Fate::Unknown) is_last = !transport_->takes_each_id_once();   // it would perhaps be there twice
    if (!is_last) pause_(send_delay_ms(attempt));
  }
  if (may_be_sent) {
    if (const Result<void> stopped = stop_send(conversation_, sending, author); !stopped) return stopped;
    return Error{Errc::wrong_state, error + "; the message stays in flight, because it may have arrived", std::nullopt,
                 kMayBeSent};
  }
  if (const Result<void> ended = end_send(conversation_, sending, error, author); !ended) return ended;
  return Error{Errc::wrong_state, error, std::nullopt, {}};
}

Result<void> Outbox::batch_written(std::span<const ProposedFact> batch, std::size_t most_facts, const Author& author) {
  if (mode_ != SendMode::Auto || conversation_.view().counted() >= most_facts) return {};
  for (const ProposedFact& fact : batch) {
    if (fact.type != FactType::compose_intent) continue;
    const Result<void> sent = kept_with_draft(send(text_of(fact.body, "composeId"), std::nullopt, author));
    if (!sent) return sent;
  }
  return {};
}

Result<void> Outbox::set_mode(SendMode mode, const Author& author) {
  const bool begins_auto = mode_ == SendMode::Approve && mode == SendMode::Auto;
  mode_ = mode;
  trace_.planner_mode = send_mode_name(mode);
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  const std::string draft(conversation_.view().unsent_draft());
  if (!begins_auto || draft.empty()) return {};
  return kept_with_draft(send(draft, std::nullopt, author));
}

Result<void> Outbox::tick(const Author& author) {
  if (transport_ == nullptr) return no_adapter();
  const Result<std::optional<json::object>> task = transport_->task();
  if (!task) return task.error();
  if (!*task) return {};
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  const std::vector<ProposedFact> facts = heard_in(**task);
  const auto observed = conversation_.observe(facts, author);
  return observed ? say_refused(facts, author) : observed;
}

// Returns the facts of the task. A state that ends the task is final, whatever the other side says later.
std::vector<ProposedFact> Outbox::heard_in(const json::object& task) const {
  std::vector<ProposedFact> facts = without_false_messages(conversation_.view(), facts_of_task(task));
  const bool is_over = is_terminal_status(conversation_.view().status());
  if (is_over) std::erase_if(facts, [](const auto& fact) { return fact.type == FactType::status_changed; });
  return facts;
}

// A message of the task that was not taken, because the journal has another one under its id, is a fact of its own.
Result<void> Outbox::say_refused(const std::vector<ProposedFact>& heard, const Author& author) {
  auto refused = find_refused(conversation_, heard);
  if (!refused) return refused.error();
  return refused->empty() ? Result<void>{} : conversation_.observe(*std::move(refused), author);
}

Result<void> Outbox::recover(const Author& author) {
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  if (transport_ == nullptr) return {};
  for (const Sending& sending : sends_in_flight(conversation_.view())) {
    if (const Result<void> settled = settle(sending, author); !settled) return settled;
  }
  return {};
}

// Asks the transport what became of a message. When the message went to another place, this transport cannot know, and
// must not have it: the message stays in flight.
Result<void> Outbox::settle(const Sending& sending, const Author& author) {
  const DraftState* const flying = conversation_.view().draft(sending.compose_id);
  const bool went_elsewhere = flying != nullptr && !flying->place.empty() && flying->place != transport_->place();
  if (went_elsewhere) return {};
  const Result<std::optional<bool>> arrived = transport_->arrived(sending.message_id);
  if (!arrived) return arrived.error();
  if (*arrived && **arrived) return tick(author);
  if (transport_->takes_each_id_once()) {
    const auto again = resume_send(conversation_, sending.compose_id, trace_, now(author));
    if (!again && again.error().code == Errc::store_failed) return again.error();
    if (!again) return end_send(conversation_, sending, again.error().message, author);
    return *again ? kept_with_draft(deliver(**again, false, author)) : Result<void>{};
  }
  if (!*arrived) return {};
  const DraftState* const draft = conversation_.view().draft(sending.compose_id);
  const Result<std::int64_t> now_ms = conversation_.log().store_time_ms(now(author).now_ms);
  if (!now_ms) return now_ms.error();
  if (draft != nullptr && may_be_sending(conversation_, *draft, *now_ms)) return {};
  return end_send(conversation_, sending, "the message did not arrive", author);
}

}  // namespace ptcvm::harness
