#include "agents/harness/sending/drafts.h"

#include <algorithm>

#include "agents/harness/conversation/ingestion.h"
#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/turn.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::int64_t kFirstDelayMs = 200;
constexpr std::int64_t kSendLeaseMs = 60'000;
constexpr std::string_view kTraceExtension = "urn:ptcvm:planner-trace:v1";

Error refuse(Errc code, std::string message, std::string_view detail = {}) {
  return {code, std::move(message), std::nullopt, detail};
}

Error already_in_flight() { return refuse(Errc::wrong_state, "draft already in flight", kSendInFlight); }

Result<json::array> parts_of(const ConversationView& view, const json::object& draft) {
  json::array parts{json::object{{"kind", "text"}, {"text", text_of(draft, "text")}}};
  const json::value* const attachments = draft.if_contains("attachments");
  if (attachments == nullptr) return parts;
  for (const json::value& item : attachments->get_array()) {
    const std::string_view name = text_of(item.get_object(), "name");
    const Fact* const file = view.attachment(name);
    if (file == nullptr) return refuse(Errc::invalid_value, "attachment not found: " + std::string(name));
    parts.push_back(json::object{{"kind", "file"},
                                 {"file", {{"name", text_of(file->body, "name")},
                                           {"mimeType", text_of(file->body, "mimeType")},
                                           {"bytes", text_of(file->body, "bytes")}}}});
  }
  return parts;
}

json::object trace_json(const ConversationView& view, const DraftState& draft, const SenderTrace& trace) {
  json::array journal;
  for (ProposedFact& fact : view.batch_of(draft)) {
    fact.body["type"] = fact_info(fact.type).name;
    journal.push_back(std::move(fact.body));
  }
  const PlannerName* const planner = view.planner_of(draft);
  return {{"plannerType", planner == nullptr ? trace.planner_type : planner->type},
          {"plannerSeed", planner == nullptr ? trace.planner_seed : planner->seed},
          {"plannerMode", trace.planner_mode},
          {"journal", std::move(journal)}};
}

// Returns what became of the newest draft, for who named none.
Error no_draft_waits(const ConversationView& view) {
  const auto& facts = view.facts();
  const auto newest = std::find_if(facts.rbegin(), facts.rend(),
                                   [](const Fact& fact) { return fact.type == FactType::compose_intent; });
  if (newest == facts.rend()) return refuse(Errc::wrong_state, "no draft waits");
  const std::string id(text_of(newest->body, "composeId"));
  const DraftState& draft = *view.draft(id);
  const char* const end = draft.is_sent        ? "was sent"
                          : draft.is_dismissed ? "was dismissed"
                                               : "is older than the last message of this side";
  return refuse(Errc::wrong_state, "no draft waits; the newest one, " + id + ", " + end);
}

Error not_found(const ConversationView& view, std::string_view compose_id) {
  std::string waiting;
  for (const std::string& id : view.unsent_drafts()) waiting.append(waiting.empty() ? "" : ", ").append(id);
  return refuse(Errc::wrong_state,
                "compose not found: there is no draft " + std::string(compose_id) + "; " +
                    (waiting.empty() ? "no draft waits" : "these drafts wait: " + waiting));
}

Error being_sent(const DraftState& draft, std::int64_t now_ms) {
  constexpr std::int64_t kMsInSecond = 1'000;
  const std::int64_t left_s = std::max<std::int64_t>(0, draft.sends_until_ms - now_ms) / kMsInSecond + 1;
  return refuse(Errc::wrong_state,
                "the message is being sent by " + draft.sender +
                    "; it may be settled when that process has stopped, "
                    "and in " +
                    std::to_string(left_s) + " s in any case",
                kBeingSent);
}

// Returns the draft when the journal has its fact, or nullptr.
const DraftState* draft_with_fact(const ConversationView& view, std::string_view compose_id) {
  const DraftState* const draft = view.draft(compose_id);
  return draft == nullptr || view.fact_at(draft->seq) == nullptr ? nullptr : draft;
}

// Returns what somebody else did with the draft meanwhile: sent, dismissed, forgot it, or tried to send it.
Error somebody_was_first(const ConversationView& view, std::string_view compose_id) {
  if (const Result<void> waits = draft_waits(view, compose_id); !waits) return waits.error();
  return refuse(Errc::wrong_state,
                "somebody else tried to send the draft at the same moment: " + view.draft(compose_id)->send_error);
}

// Returns the message of a draft that may be sent, under this id.
Result<Sending> compose(const ConversationView& view, std::string_view compose_id, std::string message_id,
                        std::string next_state, const SenderTrace& trace) {
  const DraftState& draft = *view.draft(compose_id);
  auto parts = parts_of(view, view.fact_at(draft.seq)->body);
  if (!parts) return parts.error();
  if (!is_next_state(next_state)) {
    return refuse(Errc::invalid_value, "a message cannot ask for the state \"" + next_state + '"');
  }
  Sending sending;
  sending.compose_id = compose_id;
  sending.message_id = std::move(message_id);
  sending.next_state = std::move(next_state);
  sending.message = {{"kind", "message"},
                     {"messageId", sending.message_id},
                     {"role", "user"},
                     {"parts", *std::move(parts)},
                     {"metadata",
                      {{"nextState", sending.next_state}, {kTraceExtension, trace_json(view, draft, trace)}}}};
  return sending;
}

// Says whether a fact names this process as the sender.
enum class NamesSender : std::uint8_t { No, Yes };

// Writes an effect under a claim that is given back at once. Returns the fact that the log has under its key.
Result<HostPut> write_effect(Conversation& conversation, std::string key, std::string name, json::object body,
                          const Author& author, NamesSender names = NamesSender::No) {
  if (names == NamesSender::Yes) {
    const Result<std::int64_t> now_ms = conversation.log().store_time_ms(author.now_ms);
    if (!now_ms) return now_ms.error();
    body["sender"] = HostLog::this_process();
    body["until"] = *now_ms + kSendMostMs;
  }
  const auto token = conversation.claim(author.now_ms, kSendLeaseMs);
  if (!token) return token.error();
  if (!*token) return refuse(Errc::busy, "another process writes to this conversation now; try again");
  const Result<HostPut> put = conversation.effect(**token, std::move(key), std::move(name), body, author);
  const Result<void> released = conversation.release(**token);
  if (!put) return put.error();
  if (!released) return released.error();
  return put;
}

// Ends what one process did to send the message. The key is the same for all ends of it. Returns the end that the log
// has. When another process has gone on with the message, the end does not count.
Result<HostPut> write_end(Conversation& conversation, const Sending& sending, std::string_view name, json::object body,
                          const Author& author) {
  body["composeId"] = sending.compose_id;
  body["messageId"] = sending.message_id;
  body["resumed"] = sending.resumed;
  const std::string process = sending.resumed == 0 ? "" : "/" + std::to_string(sending.resumed);
  return write_effect(conversation, "send_failed/" + sending.message_id + process, std::string(name), std::move(body),
                      author);
}

json::object end_with(std::string error) { return {{"error", std::move(error)}}; }

// Returns no error when the log has the end that a person told, or else what somebody said before.
Result<void> is_end(const HostPut& put, std::string_view name) {
  if (put.fact.name == name) return {};
  return refuse(Errc::wrong_state, put.fact.name == kSendArrived
                                       ? "somebody else said before that the message arrived"
                                       : "draft not in flight: its message counts as lost since a moment ago");
}

}  // namespace

Result<void> draft_waits(const ConversationView& view, std::string_view compose_id) {
  if (compose_id.empty()) return no_draft_waits(view);
  const DraftState* const draft = draft_with_fact(view, compose_id);
  if (draft == nullptr) return not_found(view, compose_id);
  if (draft->is_sent) return refuse(Errc::wrong_state, "draft already sent");
  if (draft->is_dismissed) {
    const std::string& other = draft->replaced_by;
    const std::string instead = other.empty() ? "" : "; " + other + " is in its place";
    return refuse(Errc::wrong_state, "draft dismissed" + instead);
  }
  if (!draft->in_flight.empty()) return already_in_flight();
  return {};
}

Result<Sending> begin_send(Conversation& conversation, std::string_view compose_id,
                           const std::optional<std::string>& next_state, const SenderTrace& trace,
                           std::string_view nonce, std::string_view place, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const ConversationView& view = conversation.view();
  if (const Result<void> waits = draft_waits(view, compose_id); !waits) return waits.error();
  if (is_terminal_status(view.status())) return error_of_end(view);
  const DraftState draft = *view.draft(compose_id);
  const std::string hint(text_of(view.fact_at(draft.seq)->body, "nextStateHint"));
  std::string message_id =
      "m-" + conversation.log().id() + "-" + std::string(compose_id) + "-" + std::to_string(draft.rounds + 1);
  if (!nonce.empty()) message_id.append("-").append(nonce);
  Result<Sending> sending = compose(view, compose_id, std::move(message_id),
                                    next_state.value_or(hint.empty() ? "working" : hint), trace);
  if (!sending) return sending;
  sending->living = std::make_shared<LivingSend>(conversation.log().id(), sending->message_id);
  const std::string key = "send/" + std::to_string(draft.seq) + "/" + std::to_string(draft.rounds + 1);
  json::object started{{"composeId", compose_id},
                       {"draft", draft.seq},
                       {"messageId", sending->message_id},
                       {"nextState", sending->next_state}};
  if (!place.empty()) started["place"] = place;
  const Result<HostPut> mine =
      write_effect(conversation, key, "send_started", std::move(started), author, NamesSender::Yes);
  if (!mine && mine.error().code != Errc::busy) return mine.error();
  if (!mine) {
    if (const Result<bool> read = conversation.refresh(); !read) return read.error();
    const Result<void> waits = draft_waits(view, compose_id);
    return waits ? mine.error() : waits.error();
  }
  const DraftState* const begun = draft_with_fact(view, compose_id);
  const bool is_in_flight = mine->is_mine && begun != nullptr && begun->in_flight == sending->message_id;
  if (!is_in_flight) return somebody_was_first(view, compose_id);
  if (!is_terminal_status(view.status())) return sending;
  if (const Result<void> ended = end_send(conversation, *sending, error_of_end(view).message, author); !ended) {
    return ended.error();
  }
  return error_of_end(view);
}

Result<Sending> compose_again(const ConversationView& view, std::string_view compose_id, const SenderTrace& trace) {
  const DraftState* const draft = draft_with_fact(view, compose_id);
  if (draft == nullptr) return not_found(view, compose_id);
  if (draft->in_flight.empty()) return refuse(Errc::wrong_state, "draft not in flight");
  Result<Sending> sending = compose(view, compose_id, draft->in_flight, draft->next_state, trace);
  if (sending) sending->resumed = draft->resumed;
  return sending;
}

Result<std::optional<Sending>> resume_send(Conversation& conversation, std::string_view compose_id,
                                           const SenderTrace& trace, const Author& author) {
  using Resumed = std::optional<Sending>;
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  Result<Sending> sending = compose_again(conversation.view(), compose_id, trace);
  if (!sending) return sending.error();
  const DraftState draft = *conversation.view().draft(compose_id);
  const Result<std::int64_t> now_ms = conversation.log().store_time_ms(author.now_ms);
  if (!now_ms) return now_ms.error();
  if (may_be_sending(conversation, draft, *now_ms)) return Resumed();
  sending->living = std::make_shared<LivingSend>(conversation.log().id(), sending->message_id);
  ++sending->resumed;
  const Result<HostPut> mine =
      write_effect(conversation, "send_resumed/" + sending->message_id + "/" + std::to_string(sending->resumed),
                   std::string(kSendResumed), {{"composeId", compose_id}, {"messageId", sending->message_id}}, author,
                   NamesSender::Yes);
  if (!mine && mine.error().code != Errc::busy) return mine.error();
  const DraftState* const now = conversation.view().draft(compose_id);
  const bool is_in_flight = now != nullptr && now->in_flight == sending->message_id;
  return mine && mine->is_mine && is_in_flight ? Resumed(*std::move(sending)) : Resumed();
}

Result<void> stop_send(Conversation& conversation, const Sending& sending, const Author& author) {
  return conversation.note(std::string(kSendStopped), "",
                           {{"composeId", sending.compose_id},
                            {"messageId", sending.message_id},
                            {"resumed", sending.resumed}},
                           author);
}

Result<void> end_send(Conversation& conversation, const Sending& sending, std::string error, const Author& author) {
  const Result<HostPut> written =
      write_end(conversation, sending, kSendFailed, end_with(std::move(error)), author);
  return written ? Result<void>{} : written.error();
}

std::optional<KnownFate> find_known_fate(std::string_view name) {
  if (name == "arrived") return KnownFate::Arrived;
  if (name == "lost") return KnownFate::Lost;
  return std::nullopt;
}

Result<void> settle_by_hand(Conversation& conversation, std::string_view compose_id, KnownFate fate,
                            const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const Result<Sending> sending = compose_again(conversation.view(), compose_id, {});
  if (!sending) return sending.error();
  const DraftState draft = *conversation.view().draft(compose_id);
  if (!draft.sender.empty()) {
    const Result<std::int64_t> now_ms = conversation.log().store_time_ms(author.now_ms);
    if (!now_ms) return now_ms.error();
    if (may_be_sending(conversation, draft, *now_ms)) return being_sent(draft, *now_ms);
  }
  // Somebody else may settle it at the same moment: the log has one end of an attempt.
  const bool is_lost = fate == KnownFate::Lost;
  const std::string_view end = is_lost ? kSendFailed : kSendArrived;
  const Result<HostPut> ended = write_end(
      conversation, *sending, end,
      is_lost ? end_with("the message did not arrive, as a person said") : json::object{}, author);
  if (!ended) return ended.error();
  if (const Result<void> is_mine = is_end(*ended, end); !is_mine) return is_mine;
  if (is_lost && conversation.view().knows_message(sending->message_id)) {
    return refuse(Errc::wrong_state, "draft already sent");
  }
  if (is_lost) {   // another process may have gone on with the message just before
    const DraftState* const now = conversation.view().draft(compose_id);
    const bool flies = now != nullptr && now->in_flight == sending->message_id;
    return flies ? being_sent(*now, author.now_ms) : Result<void>{};
  }
  std::vector<ProposedFact> facts = facts_of_message(sending->message);
  if (!is_terminal_status(conversation.view().status())) {   // a state that ends the task is final
    facts.push_back({FactType::status_changed, {{"a2a", turn_after(sending->next_state).sender}}});
  }
  return conversation.observe(std::move(facts), author);
}

std::int64_t send_delay_ms(std::uint32_t attempt) { return kFirstDelayMs << std::min(attempt, kSendAttempts); }

std::vector<Sending> sends_in_flight(const ConversationView& view) {
  std::vector<Sending> sends;
  for (const auto& [compose_id, draft] : view.drafts()) {
    if (draft.in_flight.empty()) continue;
    sends.push_back({compose_id, draft.in_flight, {}, {}, kSendAttempts, {}, draft.resumed});
  }
  return sends;
}

Result<std::string> draft_by_hand(Conversation& conversation, std::string text, const Author& author) {
  if (is_blank_text(text)) return refuse(Errc::invalid_value, "the draft is blank; write something");
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  for (;;) {   // somebody else may write a draft at the same moment
    std::string id = next_draft_id(conversation.view(), "c-hand");
    const Result<HostPut> put = conversation.observe_once(
        {FactType::compose_intent, {{"composeId", id}, {"text", text}}}, "draft/" + id, author);
    if (!put) return put.error();
    if (put->is_mine) return id;
  }
}

std::string next_draft_id(const ConversationView& view, std::string_view prefix) {
  for (std::uint64_t number = view.log_seq() + 1;; ++number) {
    std::string id = std::string(prefix) + "-" + std::to_string(number);
    if (view.draft(id) == nullptr) return id;
  }
}

}  // namespace ptcvm::harness
