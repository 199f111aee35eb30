// Drafts become messages. Sending is an effect with a key: a draft is sent once, in all processes together. The key is
// written before the transport is called, and names the id of the message, so a process that dies in the middle can ask
// the transport whether the message arrived.
//
//   auto sending = begin_send(conversation, "c-1", {}, sender, nonce, author);
//   for (; sending->attempt < kSendAttempts; ++sending->attempt) {
//     if (turn_to_send(view, *sending, now) is not Ours) stop;   // attempts.h
//     if (transport takes sending->message) { observe the task that it returns; break; }
//     wait send_delay_ms(sending->attempt)
//   }
//   else end_send(conversation, *sending, error, author);
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/sending/senders.h"

namespace ptcvm::harness {

// How often one message is given to the transport.
inline constexpr std::uint32_t kSendAttempts = 3;

// Names the planner of this process. The trace is stamped on each message; a draft of a pass names the planner of the
// pass.
struct SenderTrace {
  std::string planner_type = "off";       // the id of the planner
  boost::json::value planner_seed = {};   // its dehydrated configuration, or null
  std::string planner_mode = "approve";   // "approve" or "auto"
};

// A message that is being sent.
struct Sending {
  std::string compose_id, message_id;
  std::string next_state;                          // what the message asks for
  boost::json::object message;                     // the A2A message: messageId, role, parts, metadata
  std::uint32_t attempt = 0;                       // the attempt that comes next, from 0
  std::shared_ptr<const LivingSend> living = {};   // says that this process sends the message
  std::uint32_t resumed = 0;                       // DraftState::resumed when this process began with the message
};

// Returns no error when the draft waits: it can be sent, dismissed or changed. The id "" means the newest draft, when
// none waits. Error: wrong_state with "no draft waits" for the id "", else with "compose not found: …", "draft
// dismissed", "draft already sent" or "draft already in flight" (the detail is kSendInFlight then).
Result<void> draft_waits(const ConversationView& view, std::string_view compose_id);

// Notes that the draft is being sent, and returns its message. `nonce` is of random letters and digits, and is a part
// of the id of the message: conversations of the same name in other stores have other ids. The next state is the
// argument, or the hint of the draft, or "working". `place` is where the message goes (Transport::place()).
// Errors: as draft_waits(); invalid_value with "attachment not found: …"; busy when another process writes effects now.
Result<Sending> begin_send(Conversation& conversation, std::string_view compose_id,
                           const std::optional<std::string>& next_state, const SenderTrace& trace,
                           std::string_view nonce, std::string_view place, const Author& author);
// Notes that this process goes on with a message in flight whose sender is gone. Returns nullopt when somebody sends
// it, or another process has gone on with it first. Errors: as begin_send().
Result<std::optional<Sending>> resume_send(Conversation& conversation, std::string_view compose_id,
                                           const SenderTrace& trace, const Author& author);
// Notes that this process does not send any more a message that stays in flight.
Result<void> stop_send(Conversation& conversation, const Sending& sending, const Author& author);
// Returns the message of a draft that is in flight, under its id. Errors: as begin_send().
Result<Sending> compose_again(const ConversationView& view, std::string_view compose_id, const SenderTrace& trace);
// Notes that no attempt went well. The draft may be sent again.
Result<void> end_send(Conversation& conversation, const Sending& sending, std::string error, const Author& author);
// What a person knows of a message that is in flight.
enum class KnownFate : std::uint8_t { Arrived, Lost };
std::optional<KnownFate> find_known_fate(std::string_view name);   // "arrived", "lost"
// Ends that a draft is in flight, because a person knows what became of its message: it was sent, or it may be sent
// again. Errors: wrong_state with the detail kBeingSent while a process may be sending it (senders.h); wrong_state,
// "draft not in flight", and as begin_send().
Result<void> settle_by_hand(Conversation& conversation, std::string_view compose_id, KnownFate fate,
                            const Author& author);
// Returns how long to wait after a failed attempt, without the random part of up to 100 ms.
std::int64_t send_delay_ms(std::uint32_t attempt);

// Returns what was being sent when a process died: ids of drafts and messages. Ask the transport about each.
std::vector<Sending> sends_in_flight(const ConversationView& view);

// Writes a draft by hand. It is never sent by itself. Returns its id. Error: invalid_value for blank text.
Result<std::string> draft_by_hand(Conversation& conversation, std::string text, const Author& author);
// Returns "PREFIX-N", the id of the next draft of a person; no draft has it. Somebody else may use it at the same
// moment, and the log takes the key "draft/ID" once.
std::string next_draft_id(const ConversationView& view, std::string_view prefix);

}  // namespace ptcvm::harness
