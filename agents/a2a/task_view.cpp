#include "agents/a2a/task_view.h"

#include "agents/harness/facts/json_members.h"

namespace ptcvm::a2a {

namespace json = boost::json;
using harness::FactType;

namespace {

json::array parts_of(const harness::ConversationView& view, const json::object& body) {
  json::array parts{json::object{{"kind", "text"}, {"text", harness::text_of(body, "text")}}};
  const json::array* const attachments = harness::array_at(body, "attachments");
  if (attachments == nullptr) return parts;
  for (const json::value& item : *attachments) {
    const harness::Fact* const file =
        item.is_object() ? view.attachment(harness::text_of(item.get_object(), "name")) : nullptr;
    if (file == nullptr) continue;
    parts.push_back(json::object{{"kind", "file"},
                                 {"file", {{"name", harness::text_of(file->body, "name")},
                                           {"mimeType", harness::text_of(file->body, "mimeType")},
                                           {"bytes", harness::text_of(file->body, "bytes")}}}});
  }
  return parts;
}

json::object message_json(const harness::ConversationView& view, std::string_view conversation,
                          const harness::Fact& fact) {
  return {{"kind", "message"},
          {"messageId", harness::text_of(fact.body, "messageId")},
          {"role", fact.type == FactType::message_sent ? "agent" : "user"},
          {"parts", parts_of(view, fact.body)},
          {"taskId", task_id(conversation, view.epoch())},
          {"contextId", conversation}};
}

}  // namespace

std::string task_id(std::string_view conversation, std::uint64_t epoch) {
  return "init:" + std::string(conversation) + "#" + std::to_string(epoch);
}

std::string state_of_client(std::string_view own) {
  if (own.empty()) return "submitted";
  if (own == "working") return "input-required";
  if (own == "input-required") return "working";
  return std::string(own);
}

bool is_final(std::string_view client) { return client == "input-required" || harness::is_terminal_status(client); }

json::object task_json(const harness::ConversationView& view, std::string_view conversation) {
  json::array history;
  for (const harness::Fact& fact : view.facts()) {
    if (is_message(fact.type)) history.push_back(message_json(view, conversation, fact));
  }
  json::object status{{"state", state_of_client(view.status())}};
  if (!history.empty()) {
    status["message"] = std::move(history.back());
    history.pop_back();
  }
  return {{"kind", "task"},
          {"id", task_id(conversation, view.epoch())},
          {"contextId", conversation},
          {"status", std::move(status)},
          {"history", std::move(history)}};
}

StreamNews news_after(const harness::ConversationView& view, std::string_view conversation, StreamPlace& place) {
  StreamNews news;
  const bool is_same = place.generation == view.generation();
  const harness::Fact* said = nullptr;
  std::string state;
  const auto tell = [&] {
    json::object status{{"state", state}};
    if (said != nullptr) status["message"] = message_json(view, conversation, *said);
    said = nullptr;
    news.is_final = is_final(state);
    news.frames.push_back(json::object{{"kind", "status-update"},
                                       {"taskId", task_id(conversation, view.epoch())},
                                       {"contextId", conversation},
                                       {"status", std::move(status)},
                                       {"final", news.is_final}});
  };
  for (const harness::Fact& fact : view.facts()) {
    const bool is_new = is_same ? fact.seq > place.seq : false;
    if (fact.type == FactType::status_changed) state = state_of_client(harness::text_of(fact.body, "a2a"));
    if (!is_new) continue;
    if (fact.type == FactType::message_sent) {
      if (said != nullptr) tell();   // two messages, and the turn was kept
      said = &fact;
    }
    if (fact.type == FactType::status_changed) tell();
  }
  if (said != nullptr) tell();
  if (!is_same) {
    state = state_of_client(view.status());
    tell();
  }
  place = {view.log_seq(), view.generation()};
  return news;
}

}  // namespace ptcvm::a2a
