// A conversation as JSON: for pages, scripts and logs. Texts are as they were said, so a page must show them as text.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/pass/evaluate.h"

namespace ptcvm::harness {

// Returns what a conversation waits for: "in_flight" (somebody says what became of a message), "draft", "question",
// "waiting" (a program), "frozen", "over", "given_up" (the planner failed kMostAttempts times: a whisper or
// regenerating lets it try again), "turn" (the other side has it) or "idle".
std::string_view waits_for(const ConversationView& view, const EvaluateRules& rules);

// Returns {"seq", "time", "type", "class", "by"?} and the members of the body. The bytes of an attachment are left out:
// their number is in "size".
boost::json::object fact_json(const Fact& fact);

// Returns every fact of the log, oldest first: what counts, what a rewind dropped, and the notes of the harness. Each
// is as in fact_json(), with "counts": whether the fact is one of ConversationView::facts(). Errors: store_failed.
Result<boost::json::array> journal_json(const Conversation& conversation);

// Returns what somebody can say of each message in flight: {"draft", "messageId", "outcomes"}, the outcomes as
// find_known_fate() takes them.
boost::json::array settle_json(const ConversationView& view);

// Returns {"status", "state", "draft", "question", "given_up", "facts", "drafts", "in_flight", "settle", "in_doubt",
// "seq", "generation"}. "draft" is the newest draft that waits, with the error of its last sending, or null; "given_up"
// is the error with which the planner gave up, or null; "drafts" has the ids of all that wait; "in_flight" has the ids
// of drafts that are being sent, and "settle" what somebody can say of them (settle_json()).
boost::json::object state_json(const ConversationView& view, const EvaluateRules& rules);

}  // namespace ptcvm::harness
