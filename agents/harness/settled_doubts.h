// A program that plans may have a call in doubt. A person settles it in the log of the program's run, of which the
// conversation knows nothing.
#pragma once
#include "agents/harness/conversation.h"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {

// Tells the conversation which calls of its parked pass are in doubt no longer, so that the pass goes on. Errors: as
// Store::doubts() and Conversation::tell_settled().
Result<void> tell_settled_doubts(Conversation& conversation, const Store& store, const Author& author);

}  // namespace ptcvm::harness
