#include "agents/wire/request.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/wire/request_fold.h"

namespace ptcvm::wire {

std::string_view request_path(Protocol protocol) {
  switch (protocol) {
    case Protocol::Chat: return "/chat/completions";
    case Protocol::Responses: return "/responses";
    case Protocol::Messages: return "/messages";
  }
  return {};
}

std::optional<std::string> conversation_fault(const std::vector<ConversationItem>& items) {
  if (items.empty() || !std::holds_alternative<UserText>(items.front())) {
    return "the conversation does not begin with text of a user";
  }
  std::vector<std::string_view> open;   // calls without a result
  for (const ConversationItem& item : items) {
    if (const auto* const result = std::get_if<ToolResult>(&item)) {
      const auto call = std::find(open.begin(), open.end(), result->call_id);
      if (call == open.end()) return "the result of \"" + result->call_id + "\" has no call before it";
      open.erase(call);
      continue;
    }
    if (!open.empty()) return "the call \"" + std::string(open.front()) + "\" has no result behind it";
    if (const auto* const turn = std::get_if<ModelTurn>(&item)) {
      for (const ToolCall& call : turn->tool_calls) open.push_back(call.id);
    }
  }
  if (!open.empty()) return "the call \"" + std::string(open.front()) + "\" has no result behind it";
  return std::nullopt;
}

std::string write_request(Protocol protocol, std::string_view provider, const Request& request) {
  switch (protocol) {
    case Protocol::Chat: return boost::json::serialize(chat_request(provider, request));
    case Protocol::Responses: return boost::json::serialize(responses_request(provider, request));
    case Protocol::Messages: return boost::json::serialize(messages_request(provider, request));
  }
  return {};
}

bool goes_back_unchanged(Protocol protocol, std::string_view provider, const ModelTurn& turn) {
  return turn.protocol == protocol && turn.provider == provider && !turn.content.empty();
}

std::string argument_text(const ToolCall& call) {
  if (call.arguments_text && !call.arguments_text->empty()) return *call.arguments_text;
  return call.arguments ? boost::json::serialize(*call.arguments) : "{}";
}

}  // namespace ptcvm::wire
