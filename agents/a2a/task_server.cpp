#include "agents/a2a/task_server.h"

#include <algorithm>

#include "agents/a2a/task_view.h"
#include "agents/harness/conversation/ingestion.h"
#include "agents/harness/conversation/taken_messages.h"
#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/facts/turn.h"
#include "agents/harness/people/people.h"

namespace ptcvm::a2a {

namespace json = boost::json;
using harness::text_of;
using Served = std::variant<json::object, RpcFailure>;

namespace {

RpcFailure failure_of(const Error& error) {
  const bool is_passing =
      error.code == Errc::busy || error.detail == harness::kSendInFlight || error.detail == harness::kCallUnknown;
  if (is_passing) return {RpcCode::TryAgain, error.message};
  const bool is_bad = error.code == Errc::invalid_value || error.code == Errc::wrong_state;
  return {is_bad ? RpcCode::InvalidParams : RpcCode::Internal, error.message};
}

json::object task_of(const harness::Conversation& conversation) {
  return task_json(conversation.view(), conversation.log().id());
}

// A file without bytes is somewhere else, and nobody fetches it.
bool is_readable(const json::object& file) {
  const json::value* const bytes = file.if_contains("bytes");
  return bytes == nullptr || (bytes->is_string() && harness::is_base64(bytes->get_string()));
}

RpcFailure wrong_member(std::string_view member, const char* wanted) {
  return {RpcCode::InvalidParams, "params." + std::string(member) + ": must be " + wanted};
}

// Reads how many messages of the history a client wants; nullopt means all of them. Returns why nobody can tell.
std::optional<RpcFailure> read_history_length(const json::object& params, std::string_view name,
                                              std::optional<std::uint64_t>& most) {
  const json::value* const length = params.if_contains("historyLength");
  if (length == nullptr || length->is_null()) return std::nullopt;
  boost::system::error_code error;
  if (length->is_number()) most = length->to_number<std::uint64_t>(error);
  if (length->is_number() && !error) return std::nullopt;
  return wrong_member(name, "a whole number from 0");
}

// Returns the task with the last messages of its history only.
json::object with_history(json::object task, std::optional<std::uint64_t> most) {
  json::array& history = task.at("history").as_array();
  if (most && *most < history.size()) {
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(*most));
  }
  return task;
}

// Returns whether the member is there and names nothing: a message that names no task begins another conversation.
bool is_no_name(const json::object& object, std::string_view member) {
  return object.contains(member) && text_of(object, member).empty();
}

// Returns why the message cannot be taken, or nullopt.
std::optional<RpcFailure> wrong_message(const json::object* message) {
  if (message == nullptr) return wrong_member("message", "an object");
  if (text_of(*message, "messageId").empty()) return wrong_member("message.messageId", "a text");
  for (const std::string member : {"taskId", "contextId"}) {
    if (is_no_name(*message, member)) return wrong_member("message." + member, "a text, or left out");
  }
  const json::value* const role = message->if_contains("role");
  if (role != nullptr && *role != json::value("user")) {
    return wrong_member("message.role", "\"user\": a client speaks for the user");
  }
  const json::array* const parts = harness::array_at(*message, "parts");
  const bool ends_task = harness::is_terminal_status(harness::next_state_of(*message));
  if (parts == nullptr || (parts->empty() && !ends_task)) {
    return wrong_member("message.parts", "a list with something in it");
  }
  for (const json::value& part : *parts) {
    const json::object* const object = part.if_object();
    const bool has_text = object != nullptr && object->contains("text") && object->at("text").is_string();
    const bool has_more =
        object != nullptr && (harness::object_at(*object, "file") != nullptr || object->contains("data"));
    if (!has_text && !has_more) {
      return RpcFailure{RpcCode::InvalidParams, "params.message.parts: a part must have a text, a file or data"};
    }
    const json::object* const file = object == nullptr ? nullptr : harness::object_at(*object, "file");
    if (file != nullptr && !is_readable(*file)) {
      return RpcFailure{RpcCode::InvalidParams, "params.message.parts: the bytes of a file must be a text in base64"};
    }
  }
  return std::nullopt;
}

// Returns the answer to a message under whose id the log has something, or nullopt.
std::optional<Served> answer_to_taken(const harness::Conversation& conversation,
                                      const std::vector<harness::ProposedFact>& said) {
  const auto taken = harness::find_taken(conversation, said);
  if (!taken) return failure_of(taken.error());
  if (*taken == harness::TakenMessage::No) return std::nullopt;
  if (*taken == harness::TakenMessage::Same) return task_of(conversation);
  return RpcFailure{RpcCode::InvalidParams, "another message was taken under the messageId " +
                                                std::string(text_of(said.back().body, "messageId"))};
}

// Returns whether the message says nothing: it has neither words nor a file with its bytes.
bool is_blank(const std::vector<harness::ProposedFact>& said) {
  return said.size() == 1 && harness::is_blank_text(text_of(said.front().body, "text"));
}

Served take_checked_message(harness::Conversation& conversation, const json::object& params,
                            const harness::Author& author) {
  const json::object* const message = harness::object_at(params, "message");
  if (auto wrong = wrong_message(message)) return *std::move(wrong);
  json::object heard = *message;
  heard["role"] = "agent";   // for the planner here, the client is the other side
  const std::vector<harness::ProposedFact> said = harness::facts_of_message(heard);
  if (is_blank(said) && !harness::is_terminal_status(harness::next_state_of(*message))) {
    return RpcFailure{RpcCode::InvalidParams,
                      "params.message.parts: the message says nothing; it needs a text, or a file with its bytes"};
  }
  const std::string_view context = text_of(*message, "contextId");
  if (!context.empty() && context != conversation.log().id()) {
    return wrong_member("message.contextId", ("\"" + conversation.log().id() + "\", or left out").c_str());
  }
  if (auto answer = answer_to_taken(conversation, said)) return *std::move(answer);
  const harness::ConversationView& view = conversation.view();
  const std::string_view named = text_of(*message, "taskId");
  if (!named.empty() && named != task_id(conversation.log().id(), view.epoch())) {
    return RpcFailure{RpcCode::TaskNotFound, "there is no task " + std::string(named)};
  }
  if (!named.empty() && harness::is_terminal_status(view.status())) {
    return RpcFailure{RpcCode::InvalidParams, "the task is over; send a message without taskId to begin another one"};
  }
  if (named.empty() && view.has_public()) {
    // The other side waits for no person here: a call in doubt goes over into the new task.
    const auto begun = conversation.rewind(0, harness::RewindKeeps::Nothing, author);
    if (!begun) return failure_of(begun.error());
  }
  std::vector<harness::ProposedFact> facts = said;
  facts.push_back({harness::FactType::status_changed,
                   {{"a2a", harness::turn_after(harness::next_state_of(*message)).other}}});
  if (const auto written = conversation.observe(std::move(facts), author); !written) {
    return failure_of(written.error());
  }
  // Another process may have taken another message under the id at the same moment.
  return answer_to_taken(conversation, said).value_or(task_of(conversation));
}

Served take_message(harness::Conversation& conversation, const json::object& params, const harness::Author& author) {
  std::optional<std::uint64_t> most;
  const json::object* const how = harness::object_at(params, "configuration");
  std::optional<RpcFailure> wrong;
  if (how != nullptr) wrong = read_history_length(*how, "configuration.historyLength", most);
  if (wrong) return *std::move(wrong);
  Served taken = take_checked_message(conversation, params, author);
  if (auto* const task = std::get_if<json::object>(&taken)) *task = with_history(std::move(*task), most);
  return taken;
}

Served cancel(harness::Conversation& conversation, const harness::Author& author) {
  if (!harness::is_terminal_status(conversation.view().status())) {
    const auto written =
        conversation.observe({{harness::FactType::status_changed, {{"a2a", "canceled"}}}}, author);
    if (!written) return failure_of(written.error());
  }
  return task_of(conversation);
}

Served get(const harness::Conversation& conversation, const json::object& params) {
  std::optional<std::uint64_t> most;
  if (auto wrong = read_history_length(params, "historyLength", most)) return *std::move(wrong);
  return with_history(task_of(conversation), most);
}

}  // namespace

json::object agent_card(std::string_view name, std::string_view url) {
  const json::array texts{"text/plain"};
  const json::object once{{"uri", kOnceExtension},
                          {"description", "a message that is sent again under its messageId is taken once"},
                          {"required", false}};
  return {{"protocolVersion", "0.3.0"},
          {"name", name},
          {"description", "A conversation of ptcvm: a planner proposes, a person approves"},
          {"url", url},
          {"preferredTransport", "JSONRPC"},
          {"version", "1"},
          {"capabilities",
           {{"streaming", true},
            {"pushNotifications", false},
            {"stateTransitionHistory", false},
            {"extensions", json::array{once}}}},
          {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}},
          {"security", json::array{json::object{{"bearer", json::array{}}}}},
          {"defaultInputModes", texts},
          {"defaultOutputModes", texts},
          {"skills",
           json::array{json::object{{"id", "conversation"},
                                    {"name", "Conversation"},
                                    {"description", "Says something, and waits for the other side"},
                                    {"tags", json::array{"conversation"}}}}}};
}

bool takes_each_id_once(const json::object& card) {
  const json::object* const capabilities = harness::object_at(card, "capabilities");
  const json::array* const extensions =
      capabilities == nullptr ? nullptr : harness::array_at(*capabilities, "extensions");
  return extensions != nullptr && std::ranges::any_of(*extensions, [](const json::value& extension) {
    return extension.is_object() && text_of(extension.get_object(), "uri") == kOnceExtension;
  });
}

bool is_streaming(std::string_view method) { return method == "message/stream" || method == "tasks/resubscribe"; }

Served serve_task(harness::Conversation& conversation, const RpcRequest& request, const harness::Author& author) {
  if (const auto read = conversation.refresh(); !read) return failure_of(read.error());
  const std::string_view method = request.method;
  if (method == "message/send" || method == "message/stream") {
    return take_message(conversation, request.params, author);
  }
  const bool names_task = method == "tasks/get" || method == "tasks/cancel" || method == "tasks/resubscribe";
  if (!names_task) return RpcFailure{RpcCode::MethodNotFound, "there is no method " + request.method};
  if (text_of(request.params, "id").empty()) return wrong_member("id", "a text");
  const std::string_view id = text_of(request.params, "id");
  const bool is_there = conversation.view().has_public() || !conversation.view().status().empty();
  if (!is_there || id != task_id(conversation.log().id(), conversation.view().epoch())) {
    return RpcFailure{RpcCode::TaskNotFound, "there is no task " + std::string(id)};
  }
  return method == "tasks/cancel" ? cancel(conversation, author) : get(conversation, request.params);
}

}  // namespace ptcvm::a2a
