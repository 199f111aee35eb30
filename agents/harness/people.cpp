#include "agents/harness/people.h"

#include <algorithm>

#include "agents/harness/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

Error refuse_person(Errc code, std::string message) { return {code, std::move(message), std::nullopt, {}}; }

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
  return conversation.observe({{FactType::user_answer, {{"qid", qid}, {"text", text}}}}, author);
}

Result<void> dismiss(Conversation& conversation, std::string_view compose_id, const Author& author) {
  if (const Result<bool> read = conversation.refresh(); !read) return read.error();
  const DraftState* const draft = conversation.view().draft(compose_id);
  if (draft == nullptr) return refuse_person(Errc::wrong_state, "compose not found");
  if (draft->is_dismissed) return refuse_person(Errc::wrong_state, "draft dismissed");
  if (draft->is_sent || !draft->in_flight.empty()) return refuse_person(Errc::wrong_state, "draft already sent");
  return conversation.observe({{FactType::compose_dismissed, {{"composeId", compose_id}}}}, author);
}

Result<std::string> edit_draft(Conversation& conversation, std::string_view compose_id, std::string text,
                               const Author& author) {
  if (const Result<void> dismissed = dismiss(conversation, compose_id, author); !dismissed) return dismissed.error();
  const ConversationView& view = conversation.view();
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

Result<void> clear(Conversation& conversation, const Author& author) {
  return conversation.rewind(0, RewindKeeps::Nothing, author);
}

}  // namespace ptcvm::harness
