// Messages that a conversation took before, also before everything was forgotten.
#pragma once
#include <cstdint>
#include <vector>

#include "agents/harness/conversation/conversation.h"

namespace ptcvm::harness {

// Says what the log has under the id of a message.
enum class TakenMessage : std::uint8_t {
  No,      // nothing
  Same,    // the message: the same text, and files with the same bytes
  Other,   // another message
};

// Returns what the log has under the id of the message. `message` is the result of facts_of_message(). Error:
// store_failed.
Result<TakenMessage> find_taken(const Conversation& conversation, const std::vector<ProposedFact>& message);

// Returns a message_refused for each message of the list that has the id of another message of the journal, once for
// each id. `facts` is the result of facts_of_task(), and is in the journal already. A message of the list that comes
// without its files is the same one: servers may leave files out. Error: store_failed.
Result<std::vector<ProposedFact>> find_refused(const Conversation& conversation,
                                               const std::vector<ProposedFact>& facts);

}  // namespace ptcvm::harness
