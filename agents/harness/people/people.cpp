#include "agents/harness/people/people.h"

#include <algorithm>

#include "agents/harness/conversation/taken_messages.h"
#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/sending/drafts.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

Error refuse_person(Errc code, std::string message, std::string_view detail = {}) {
  return {code, std::move(message), std::nullopt, detail};
}

std::string next_id(const Conversation& conversation, std::string_view prefix) {
  return std::string(prefix) + "-" + std::to_string(conversation.view().log_seq() + 1);
}

const Fact* question_of(const ConversationView& view, std::string_view qid) {
  const auto& facts = view.facts();
  const auto found = std::find_if(facts.rbegin(), facts.rend(), [qid](const Fact& fact) {
    return fact.type == FactType::agent_question && text_of(fact.body, "qid") == qid;
  });
  return found == facts.rend() ? nullptr : &*found;
}

const Fact* answer_after(const ConversationView& view, std::string_view qid, std::uint64_t seq) {
  for (const Fact& fact : view.facts()) {
    if (fact.seq > seq && fact.type == FactType::user_answer && text_of(fact.body, "qid") == qid) return &fact;
  }
  return nullptr;
}

// Returns whether the log has the message. Error: wrong_state when it has another one under the id.
Result<bool> is_taken(Conversation& conversation, const ProposedFact& message) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const Result<TakenMessage> taken = find_taken(conversation, {message});
  if (!taken) return taken.error();
  if (*taken != TakenMessage::Other) return *taken == TakenMessage::Same;
  return refuse_person(Errc::wrong_state, "another message was taken under the messageId " +
                                              std::string(text_of(message.body, "messageId")) +
                                              "; give this one another id");
}

}  // namespace

Result<void> whisper(Conversation& conversation, std::string_view text, const Author& author) {
  if (is_blank_text(text)) return refuse_person(Errc::invalid_value, "the whisper is blank; say something");
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const std::string gid = next_id(conversation, "g");
  return conversation.observe({{FactType::user_guidance, {{"gid", gid}, {"text", text}}}}, author);
}

Result<void> answer(Conversation& conversation, std::string_view qid, std::string_view text, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const Fact* const question = question_of(conversation.view(), qid);
  if (question == nullptr) return refuse_person(Errc::invalid_value, "there is no question " + std::string(qid));
  if (is_true(question->body, "required") && is_blank_text(text)) {
    return refuse_person(Errc::invalid_value, "the question " + std::string(qid) + " must be answered with a text");
  }
  const std::string key = "answer/" + std::string(qid) + "/" + std::to_string(question->seq);
  const Fact* const first = answer_after(conversation.view(), qid, question->seq);
  std::string said(first == nullptr ? std::string_view() : text_of(first->body, "text"));
  if (first == nullptr) {
    const Result<HostPut> put =
        conversation.observe_once({FactType::user_answer, {{"qid", qid}, {"text", text}}}, key, author);
    if (!put) return put.error();
    if (put->is_mine) return {};
    if (const Fact* const other = answer_after(conversation.view(), qid, 0)) said = text_of(other->body, "text");
  }
  if (said == text) return {};
  return refuse_person(Errc::already_resolved,
                       "the question " + std::string(qid) + " has an answer already: \"" + said + '"');
}

// Another process may begin to send the draft at the same moment. The log says which of the two was first.
Result<void> dismiss(Conversation& conversation, std::string_view compose_id, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  if (const Result<void> allowed = draft_waits(conversation.view(), compose_id); !allowed) return allowed;
  const auto said = conversation.observe({{FactType::compose_dismissed, {{"composeId", compose_id}}}}, author);
  if (!said) return said;
  const DraftState* const draft = conversation.view().draft(compose_id);
  if (draft == nullptr || (draft->is_dismissed && draft->replaced_by.empty())) return {};   // else somebody edited it
  return draft_waits(conversation.view(), compose_id);
}

// Another process may send or dismiss the draft at the same moment: then neither fact counts. Another edit may use the
// id at the same moment: then neither fact is written. Only edits have such ids.
Result<std::string> edit_draft(Conversation& conversation, std::string_view compose_id, std::string text,
                               const Author& author) {
  const ConversationView& view = conversation.view();
  for (;;) {
    if (const Result<bool> read = conversation.refresh(); !read) return read.error();
    if (const Result<void> waits = draft_waits(view, compose_id); !waits) return waits.error();
    json::object body = view.fact_at(view.draft(compose_id)->seq)->body;
    if (array_at(body, "attachments") == nullptr && is_blank_text(text)) {
      return refuse_person(Errc::invalid_value, "the draft is blank; write something, or dismiss it");
    }
    std::string id = next_draft_id(view, "c-edit");
    body["composeId"] = id;
    body["text"] = text;
    body["replaces"] = compose_id;
    const auto puts = conversation.observe_together(
        {{{FactType::compose_dismissed, {{"composeId", compose_id}, {"replacedBy", id}}}, "replaced/" + id},
         {{FactType::compose_intent, std::move(body)}, "draft/" + id}},
        author);
    if (!puts) return puts.error();
    if (!puts->back().is_mine) continue;
    if (view.draft(id) != nullptr) return id;
    const Result<void> waits = draft_waits(view, compose_id);
    if (!waits) return waits.error();   // otherwise a sending that was in the way has failed meanwhile
  }
}

Result<void> ask_person(Conversation& conversation, const json::object& question, const Author& author) {
  const std::string qid(text_of(question, "qid"));
  const auto noted = conversation.note("agent_question", "question/" + qid, question, author);
  if (!noted) return noted;
  const Fact* const asked = question_of(conversation.view(), qid);
  if (asked == nullptr || text_of(asked->body, "prompt") == text_of(question, "prompt")) return {};
  return refuse_person(Errc::wrong_state, "the question " + qid + " was asked already with another prompt: \"" +
                                              std::string(text_of(asked->body, "prompt")) +
                                              "\"; give this one a qid of its own");
}

// A message that came after a draft keeps the draft: the rewind begins at the message. After the rewind a planner of
// another thread may have the next draft there already, which stays.
Result<void> regenerate(Conversation& conversation, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const std::uint64_t last_seq = conversation.view().log_seq();
  if (const Result<void> rewound = conversation.regenerate(author); !rewound) return rewound;
  std::vector<ProposedFact> dismissed;
  for (const std::string& draft : conversation.view().unsent_drafts()) {
    if (conversation.view().draft(draft)->seq > last_seq) continue;
    dismissed.push_back({FactType::compose_dismissed, {{"composeId", draft}}});
  }
  return dismissed.empty() ? Result<void>{} : conversation.observe(std::move(dismissed), author);
}

Result<void> say_for_other_side(Conversation& conversation, std::string message_id, std::string_view text,
                                std::string_view next, const Author& author) {
  if (is_blank_text(text)) return refuse_person(Errc::invalid_value, "the message is blank; say something");
  if (message_id.empty()) return refuse_person(Errc::invalid_value, "the messageId is empty; give the message one");
  if (next.empty()) next = "input-required";
  if (!is_task_status(next)) {
    return refuse_person(Errc::invalid_value, no_task_status(next));
  }
  if (!is_next_state(next)) {
    return refuse_person(Errc::invalid_value, "no message may ask for the state \"" + std::string(next) + '"');
  }
  const ProposedFact message{FactType::message_received, {{"messageId", message_id}, {"text", text}}};
  const Result<bool> was_taken = is_taken(conversation, message);
  if (!was_taken) return was_taken.error();
  if (*was_taken) return {};
  if (is_terminal_status(conversation.view().status())) return error_of_end(conversation.view());
  const auto said = conversation.observe({message, {FactType::status_changed, {{"a2a", next}}}}, author);
  if (!said) return said;
  const Result<bool> is_there = is_taken(conversation, message);   // another one may have come under its id
  return is_there ? Result<void>{} : is_there.error();
}

// A doubt of a program stays in the run of the program, which a clear leaves alone.
Result<void> clear(Conversation& conversation, const Author& author) {
  return conversation.rewind(0, RewindKeeps::Nothing, author, RewindYields::Calls);
}

}  // namespace ptcvm::harness
