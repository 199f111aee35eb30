// What the other side tells of messages under ids that this side gave away. The id of a message of this side names that
// message and no other one, also while it is in flight.
#pragma once
#include <vector>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::harness {

// Puts a message_refused in the place of each message that cannot be so, and leaves out its files: a message of the
// other side under an id of this side, and a message of this side that has another text or other files than the draft
// that went out under its id. `facts` is the result of facts_of_task(). Messages that the journal has are left alone.
std::vector<ProposedFact> without_false_messages(const ConversationView& view, std::vector<ProposedFact> facts);

}   // namespace ptcvm::harness
