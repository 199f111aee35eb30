#include "agents/harness/peer_transport.h"

#include <algorithm>

#include "agents/harness/ingestion.h"
#include "agents/harness/turn.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

json::object task_of(json::array history, std::string_view state) {
  return {{"kind", "task"}, {"id", "peer"}, {"history", std::move(history)}, {"status", {{"state", state}}}};
}

// Returns whether that side has heard the message already: another one may have come under its id.
bool has_heard(const ConversationView& view, const ProposedFact& message) {
  return std::ranges::any_of(view.facts(), [&message](const Fact& fact) {
    return fact.type == message.type && fact.body == message.body;
  });
}

TurnStates states_after(const json::object& message) { return turn_after(next_state_of(message)); }

}  // namespace

Result<json::object> PeerTransport::send(const json::object& message) {
  if (const Result<bool> read = peer_.refresh(); !read) return read.error();
  if (const Result<void> settled = settle_sends(); !settled) return settled.error();
  const bool is_known = peer_.view().knows_message(text_of(message, "messageId"));
  if (!is_known && is_terminal_status(peer_.view().status())) {
    return Error{Errc::wrong_state, "the conversation of the other side has ended", std::nullopt, {}};
  }
  json::object heard = message;
  heard["role"] = "agent";
  std::vector<ProposedFact> facts = facts_of_message(heard);
  if (is_known && !has_heard(peer_.view(), facts.back())) {
    return Error{Errc::wrong_state, "the other side has another message under the id of this one", std::nullopt, {}};
  }
  facts.push_back({FactType::status_changed, {{"a2a", states_after(message).other}}});
  if (!is_known) {
    const Result<void> written = peer_.observe(std::move(facts), {clock_(), by_});
    if (!written) return written.error();
  }
  return task_of({message}, states_after(message).sender);
}

// The other side may not have written down yet that a message of it arrived here.
Result<void> PeerTransport::settle_sends() {
  if (own_ == nullptr) return {};
  for (const Sending& sending : sends_in_flight(peer_.view())) {
    if (!own_->view().knows_message(sending.message_id)) continue;
    const Result<Sending> again = compose_again(peer_.view(), sending.compose_id, {});
    if (!again) continue;   // its process sees what is wrong with the draft
    std::vector<ProposedFact> facts = facts_of_message(again->message);
    facts.push_back({FactType::status_changed, {{"a2a", states_after(again->message).sender}}});
    const Result<void> written = peer_.observe_sent(sending.message_id, std::move(facts), {clock_(), by_});
    if (!written) return written;
  }
  return {};
}

// What the other side heard is what this side said, and the turn is the other way round.
Result<std::optional<json::object>> PeerTransport::task() {
  if (const Result<bool> read = peer_.refresh(); !read) return read.error();
  json::array history;
  for (const Fact& fact : peer_.view().facts()) {
    if (fact.type != FactType::message_received && fact.type != FactType::message_sent) continue;
    const json::object text{{"kind", "text"}, {"text", text_of(fact.body, "text")}};
    history.push_back(json::object{{"messageId", text_of(fact.body, "messageId")},
                                   {"role", fact.type == FactType::message_sent ? "agent" : "user"},
                                   {"parts", json::array{text}}});
  }
  if (history.empty()) return std::optional<json::object>{};
  std::string_view state = peer_.view().status();
  if (state == "input-required" || state == "working") state = state == "working" ? "input-required" : "working";
  return std::optional<json::object>{task_of(std::move(history), state)};
}

Result<std::optional<bool>> PeerTransport::arrived(std::string_view message_id) {
  if (const Result<bool> read = peer_.refresh(); !read) return read.error();
  return std::optional<bool>{peer_.view().knows_message(message_id)};
}

}  // namespace ptcvm::harness
