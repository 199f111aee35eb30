// A conversation as JSON: for pages, scripts and logs. Texts are as they were said, so a page must show them as text.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>

#include "agents/harness/conversation.h"
#include "agents/harness/evaluate.h"

namespace ptcvm::harness {

// Returns what a conversation waits for: "draft", "question", "waiting" (a program), "frozen", "turn" (the other side
// has it), "over" or "idle".
std::string_view waits_for(const ConversationView& view, const EvaluateRules& rules);

// Returns {"seq", "time", "type", "class", "by"?} and the members of the body. The bytes of an attachment are left out:
// their number is in "size".
boost::json::object fact_json(const Fact& fact);

// Returns every fact of the log, oldest first: what counts, what a rewind dropped, and the notes of the harness. Each
// is as in fact_json(), with "counts": whether the fact is one of ConversationView::facts(). Errors: store_failed.
Result<boost::json::array> journal_json(const Conversation& conversation);

// Returns {"status", "state", "draft", "question", "facts", "drafts", "in_flight", "seq", "generation"}. "draft" is the
// newest draft that waits, with the error of its last sending, or null; "drafts" has the ids of all that wait;
// "in_flight" has the ids of drafts that are being sent.
boost::json::object state_json(const ConversationView& view, const EvaluateRules& rules);

}  // namespace ptcvm::harness
