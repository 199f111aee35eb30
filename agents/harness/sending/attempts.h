// Whether a process that sends a message may make another attempt. A process may be stopped for any time between two
// attempts: meanwhile a person may say what became of the message, or another process may go on with it. So the sender
// looks at the log before each attempt. What remains is the moment between the look and the request.
#pragma once
#include <cstdint>
#include <string_view>

#include "agents/harness/sending/drafts.h"

namespace ptcvm::harness {

// How long one attempt may take (Transport::send). No attempt begins that may end after the time of the sender.
inline constexpr std::int64_t kAttemptMostMs = 30'000;

// What the log says of a message that this process sends.
enum class SendTurn : std::uint8_t {
  Ours,        // this process may make an attempt
  Late,        // the time of this process is over: others may say what became of the message
  Elsewhere,   // another process goes on with the message
  Ended,       // somebody said that the message was lost, or forgot the draft
  Arrived,     // the log has the message as sent
  SentAnew,    // the draft was sent under another id
};

// Returns what the log says at that time of the store. `view` must be up to date.
SendTurn turn_to_send(const ConversationView& view, const Sending& sending, std::int64_t now_ms);

// Returns why this process makes no attempt, for people. `turn` is not Ours.
std::string_view why_not_sent(SendTurn turn);

}   // namespace ptcvm::harness
