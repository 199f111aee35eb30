#include "agents/harness/sending/peer_transport.h"

#include <algorithm>

#include "agents/harness/conversation/ingestion.h"
#include "agents/harness/conversation/taken_messages.h"
#include "agents/harness/facts/turn.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

json::object task_of(json::array history, std::string_view state) {
  return {{"kind", "task"}, {"id", "peer"}, {"history", std::move(history)}, {"status", {{"state", state}}}};
}

TurnStates states_after(const json::object& message) { return turn_after(next_state_of(message)); }

}  // namespace

Error error_of_own_peer(std::string_view id) {
  return {Errc::invalid_value,
          "the conversation " + std::string(id) + " cannot be its own other side; name another one with --peer",
          std::nullopt,
          {}};
}

Result<std::unique_ptr<PeerTransport>> PeerTransport::open(const Store& store, const std::string& peer,
                                                           std::function<std::int64_t()> clock,
                                                           const Conversation& own) {
  if (peer == own.log().id()) return error_of_own_peer(peer);
  auto other = Conversation::open(HostLog::of(store, peer));
  if (!other) return other.error();
  return std::make_unique<PeerTransport>(*std::move(other), std::move(clock), own.log().id(), &own);
}

Result<json::object> PeerTransport::send(const json::object& message) {
  if (const Result<bool> read = peer_.refresh(); !read) return read.error();
  if (const Result<void> settled = settle_sends(); !settled) return settled.error();
  json::object heard = message;
  heard["role"] = "agent";
  std::vector<ProposedFact> facts = facts_of_message(heard);
  const Result<TakenMessage> taken = find_taken(peer_, facts);   // another one may have come under its id
  if (!taken) return taken.error();
  if (*taken == TakenMessage::Other) {
    return Error{Errc::wrong_state, "the other side has another message under the id of this one", std::nullopt, {}};
  }
  const json::object task = task_of({message}, states_after(message).sender);
  if (*taken == TakenMessage::Same) return task;
  if (is_terminal_status(peer_.view().status())) {
    return Error{Errc::wrong_state, "the conversation of the other side has ended", std::nullopt, {}};
  }
  facts.push_back({FactType::status_changed, {{"a2a", states_after(message).other}}});
  const Result<void> written = peer_.observe(std::move(facts), {clock_(), by_});
  if (!written) return written.error();
  return task;
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
