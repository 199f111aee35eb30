// A program that plans may have a call in doubt. The log of the program's run has the call, and a person settles it
// there. The conversation knows that a call began, and doubts with which a pass was parked.
#pragma once
#include <string>

#include "agents/harness/conversation/conversation.h"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {

// Returns the id of the run of the program that plans the conversation of this id.
std::string planner_run(std::string_view conversation);

// Returns why regenerate() must not be called now (people.h), or no error. The log of the program says more of a call
// than the conversation, which knows only that the call began. Errors: as Conversation::may_rewind(),
// tell_ended_calls() and Store::doubts().
Result<void> may_regenerate(Conversation& conversation, const Store& store, const Author& author);

// Tells the conversation which calls that the program had begun are over, as the log of the program says. Errors: as
// Store::find() and journal(), and Conversation::note().
Result<void> tell_ended_calls(Conversation& conversation, const Store& store, const std::string& program,
                              const Author& author);

// Tells the conversation that, and which calls of its parked pass are in doubt no longer, so that the pass goes on.
// Errors: as Store::doubts() and Conversation::tell_settled(); also when no pass is parked and the log of the program
// is refused.
Result<void> tell_settled_doubts(Conversation& conversation, const Store& store, const Author& author);

}  // namespace ptcvm::harness
