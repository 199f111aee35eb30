#include "agents/a2a/task_server.h"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "agents/a2a/task_view.h"
#include "agents/harness/ingestion.h"
#include "agents/harness/json_members.h"
#include "agents/harness/people.h"
#include "agents/harness/turn.h"

namespace ptcvm::a2a {

namespace json = boost::json;
using harness::text_of;
using Served = std::variant<json::object, RpcFailure>;

namespace {

RpcFailure failure_of(const Error& error) {
  const bool is_bad = error.code == Errc::invalid_value || error.code == Errc::wrong_state;
  return {is_bad ? RpcCode::InvalidParams : RpcCode::Internal, error.message};
}

json::object task_of(const harness::Conversation& conversation) {
  return task_json(conversation.view(), conversation.log().id());
}

// Returns the fact with which any epoch of the conversation has a message of this id.
Result<std::optional<HostFact>> taken_before(const harness::Conversation& conversation, std::string_view message_id) {
  for (std::uint64_t epoch = 0; epoch <= conversation.view().epoch(); ++epoch) {
    auto found = conversation.log().find(harness::message_key(epoch, message_id));
    if (!found || *found) return found;
  }
  return std::optional<HostFact>{};
}

// Returns whether the log has this message: what was received under its id says the same.
bool is_same(const HostFact& taken, const harness::ProposedFact& heard) {
  boost::system::error_code error;
  const json::value body = json::parse(taken.body, error);
  return !error && taken.name == harness::fact_info(heard.type).name && body == json::value(heard.body);
}

// A file without bytes is somewhere else, and nobody fetches it.
bool is_readable(const json::object& file) {
  const json::value* const bytes = file.if_contains("bytes");
  return bytes == nullptr || (bytes->is_string() && harness::is_base64(bytes->get_string()));
}

// Returns why the message cannot be taken, or nullopt.
std::optional<RpcFailure> wrong_message(const json::object* message) {
  if (message == nullptr) return RpcFailure{RpcCode::InvalidParams, "params.message: must be an object"};
  if (text_of(*message, "messageId").empty()) {
    return RpcFailure{RpcCode::InvalidParams, "params.message.messageId: must be a text"};
  }
  const json::array* const parts = harness::array_at(*message, "parts");
  if (parts == nullptr || parts->empty()) {
    return RpcFailure{RpcCode::InvalidParams, "params.message.parts: must be a list with something in it"};
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

Served take_message(harness::Conversation& conversation, const json::object& params, const harness::Author& author) {
  const json::object* const message = harness::object_at(params, "message");
  if (auto wrong = wrong_message(message)) return *std::move(wrong);
  json::object heard = *message;
  heard["role"] = "agent";   // for the planner here, the client is the other side
  std::vector<harness::ProposedFact> facts = harness::facts_of_message(heard);
  const std::string_view id = text_of(*message, "messageId");
  const auto known = taken_before(conversation, id);
  if (!known) return failure_of(known.error());
  if (*known && is_same(**known, facts.back())) return task_of(conversation);
  if (*known) {
    return RpcFailure{RpcCode::InvalidParams, "another message was taken under the messageId " + std::string(id)};
  }
  const harness::ConversationView& view = conversation.view();
  const std::string_view named = text_of(*message, "taskId");
  if (!named.empty() && named != task_id(conversation.log().id(), view.epoch())) {
    return RpcFailure{RpcCode::TaskNotFound, "there is no task " + std::string(named)};
  }
  if (!named.empty() && harness::is_terminal_status(view.status())) {
    return RpcFailure{RpcCode::InvalidParams, "the task is over; send a message without taskId to begin another one"};
  }
  if (named.empty() && view.has_public()) {
    if (const auto cleared = harness::clear(conversation, author); !cleared) return failure_of(cleared.error());
  }
  facts.push_back({harness::FactType::status_changed,
                   {{"a2a", harness::turn_after(harness::next_state_of(*message)).other}}});
  if (const auto written = conversation.observe(std::move(facts), author); !written) {
    return failure_of(written.error());
  }
  return task_of(conversation);
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
  json::object task = task_of(conversation);
  const auto length = harness::number_of(params, "historyLength");
  json::array& history = task.at("history").as_array();
  if (length && *length >= 0 && *length < static_cast<double>(history.size())) {
    const auto dropped = history.size() - static_cast<std::size_t>(*length);
    history.erase(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(dropped));
  }
  return task;
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
  const std::string_view id = text_of(request.params, "id");
  const bool is_there = conversation.view().has_public() || !conversation.view().status().empty();
  if (!is_there || id != task_id(conversation.log().id(), conversation.view().epoch())) {
    return RpcFailure{RpcCode::TaskNotFound, "there is no task " + std::string(id)};
  }
  return method == "tasks/cancel" ? cancel(conversation, author) : get(conversation, request.params);
}

}  // namespace ptcvm::a2a
