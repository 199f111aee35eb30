#include "agents/harness/people.h"

#include <algorithm>

#include "agents/harness/json_members.h"

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

}  // namespace

Result<void> whisper(Conversation& conversation, std::string_view text, const Author& author) {
  if (trimmed(text).empty()) return refuse_person(Errc::invalid_value, "the whisper is blank; say something");
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const std::string gid = next_id(conversation, "g");
  return conversation.observe({{FactType::user_guidance, {{"gid", gid}, {"text", text}}}}, author);
}

Result<void> answer(Conversation& conversation, std::string_view qid, std::string_view text, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const Fact* const question = question_of(conversation.view(), qid);
  if (question == nullptr) return refuse_person(Errc::invalid_value, "there is no question " + std::string(qid));
  if (is_true(question->body, "required") && trimmed(text).empty()) {
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

namespace {

// Returns why the draft cannot be dismissed, or no error.
Result<void> may_dismiss(const ConversationView& view, std::string_view compose_id) {
  const DraftState* const draft = view.draft(compose_id);
  if (draft == nullptr) return refuse_person(Errc::wrong_state, "compose not found");
  if (draft->is_dismissed) return refuse_person(Errc::wrong_state, "draft dismissed");
  if (draft->is_sent) return refuse_person(Errc::wrong_state, "draft already sent");
  if (!draft->in_flight.empty()) return refuse_person(Errc::wrong_state, "draft already in flight", kSendInFlight);
  return {};
}

}  // namespace

// Another process may begin to send the draft at the same moment. The log says which of the two was first.
Result<void> dismiss(Conversation& conversation, std::string_view compose_id, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  if (const Result<void> allowed = may_dismiss(conversation.view(), compose_id); !allowed) return allowed;
  const auto said = conversation.observe({{FactType::compose_dismissed, {{"composeId", compose_id}}}}, author);
  if (!said) return said;
  const DraftState* const draft = conversation.view().draft(compose_id);
  if (draft == nullptr || draft->is_dismissed) return {};
  return may_dismiss(conversation.view(), compose_id);
}

Result<std::string> edit_draft(Conversation& conversation, std::string_view compose_id, std::string text,
                               const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const ConversationView& view = conversation.view();
  const DraftState* const waiting = view.draft(compose_id);
  const Fact* const old = waiting == nullptr ? nullptr : view.fact_at(waiting->seq);
  if (old != nullptr && array_at(old->body, "attachments") == nullptr && trimmed(text).empty()) {
    return refuse_person(Errc::invalid_value, "the draft is blank; write something, or dismiss it");
  }
  if (const Result<void> dismissed = dismiss(conversation, compose_id, author); !dismissed) return dismissed.error();
  const DraftState* const draft = view.draft(compose_id);
  const Fact* const before = draft == nullptr ? nullptr : view.fact_at(draft->seq);
  if (before == nullptr) return refuse_person(Errc::wrong_state, "compose not found");
  std::string id = next_id(conversation, "c-hand");
  json::object body = before->body;
  body["composeId"] = id;
  body["text"] = std::move(text);
  const Result<void> written = conversation.observe({{FactType::compose_intent, std::move(body)}}, author);
  if (!written) return written.error();
  return id;
}

Result<void> ask_person(Conversation& conversation, const json::object& question, const Author& author) {
  return conversation.note("agent_question", "question/" + std::string(text_of(question, "qid")), question, author);
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
  if (next.empty()) next = "input-required";
  if (!is_task_status(next)) {
    return refuse_person(Errc::invalid_value, "\"" + std::string(next) + "\" is no state of a task");
  }
  if (!is_next_state(next)) {
    return refuse_person(Errc::invalid_value, "no message may ask for the state \"" + std::string(next) + '"');
  }
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  if (is_terminal_status(conversation.view().status())) return error_of_end(conversation.view());
  return conversation.observe(
      {{FactType::message_received, {{"messageId", std::move(message_id)}, {"text", text}}},
       {FactType::status_changed, {{"a2a", next}}}},
      author);
}

Result<void> clear(Conversation& conversation, const Author& author) {
  return conversation.rewind(0, RewindKeeps::Nothing, author);
}

}  // namespace ptcvm::harness
