// What people say to a conversation, besides approving drafts (outbox.h).
#pragma once
#include <string>
#include <string_view>

#include "agents/harness/conversation/conversation.h"

namespace ptcvm::harness {

// Tells the planner something that the other side does not see. Error: invalid_value for blank text.
Result<void> whisper(Conversation& conversation, std::string_view text, const Author& author);
// Answers a question, once: the same answer again changes nothing. Errors: invalid_value when the journal has no
// question with that id, or when the question must be answered and the text is blank; already_resolved, with the first
// answer.
Result<void> answer(Conversation& conversation, std::string_view qid, std::string_view text, const Author& author);
// Gives up a draft. Error: wrong_state, "compose not found: …", "draft dismissed", "draft already sent" or "draft
// already in flight" (kSendInFlight).
Result<void> dismiss(Conversation& conversation, std::string_view compose_id, const Author& author);
// Puts a draft by hand in the place of a draft, with its attachments. Returns the id of the new draft. Errors as above,
// and invalid_value for blank text without attachments.
Result<std::string> edit_draft(Conversation& conversation, std::string_view compose_id, std::string text,
                               const Author& author);
// Asks the person something, once for each qid. `question` is the body of an agent_question. Error: wrong_state when
// the qid has a question with another prompt.
Result<void> ask_person(Conversation& conversation, const boost::json::object& question, const Author& author);
// Forgets what the planner did since the last message, and gives up the drafts that wait: another one comes. When the
// planner is a program, ask may_regenerate() first (settled_doubts.h). Errors: as Conversation::rewind().
Result<void> regenerate(Conversation& conversation, const Author& author);
// Says something for the other side, which is then in that state ("" is input-required). A message that comes again
// under its id is taken once. Errors: wrong_state when the task is over, and when another message was taken under the
// id; invalid_value for blank text, an empty id, and a state that a message may not ask for.
Result<void> say_for_other_side(Conversation& conversation, std::string message_id, std::string_view text,
                                std::string_view next, const Author& author);
// Forgets everything that was said. What tasks of a program did stays done; an agent makes its calls anew. Errors: as
// Conversation::rewind(), and wrong_state (kCallUnknown) while nobody knows what became of a call of an agent.
Result<void> clear(Conversation& conversation, const Author& author);

}  // namespace ptcvm::harness
