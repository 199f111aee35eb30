// A program that plans may have a call in doubt. The log of the program's run has the call, and a person settles it
// there. The conversation knows only of doubts with which a pass was parked.
#pragma once
#include <string>

#include "agents/harness/conversation.h"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {

// Returns the id of the run of the program that plans the conversation of this id.
std::string planner_run(std::string_view conversation);

// Returns why regenerate() must not be called now (people.h), or no error. A process that died in the middle of a call
// left no word of it in the conversation; the log of the program tells. Errors: as Conversation::may_rewind(); those
// of Store::doubts(), find() and journal().
Result<void> may_regenerate(const Conversation& conversation, const Store& store);

// Tells the conversation which calls of its parked pass are in doubt no longer, so that the pass goes on. Errors: as
// Store::doubts() and Conversation::tell_settled(); also when no pass is parked and the log of the program is refused.
Result<void> tell_settled_doubts(Conversation& conversation, const Store& store, const Author& author);

}  // namespace ptcvm::harness
