// The process that sends a message in flight. The log names it, and the latest moment at which it has stopped, so
// that nobody says what became of a message that somebody still sends: it would go out twice.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "agents/harness/conversation/conversation.h"

namespace ptcvm::harness {

// The detail of the error that a process sends the message now.
inline constexpr std::string_view kBeingSent = "being_sent";
// How long a process may send one message, with all attempts and the pauses between them.
inline constexpr std::int64_t kSendMostMs = 150'000;

// While an object of this class lives, its process sends the message. Objects of any threads are known to all threads.
class LivingSend {
 public:
  LivingSend(std::string_view log, std::string_view message_id);
  ~LivingSend();
  LivingSend(const LivingSend&) = delete;
  LivingSend& operator=(const LivingSend&) = delete;

 private:
  std::string name_;
};

// Returns whether some process may be sending the draft at that moment of the store. A draft of an older log names no
// sender: false.
bool may_be_sending(const Conversation& conversation, const DraftState& draft, std::int64_t now_ms);

}   // namespace ptcvm::harness
