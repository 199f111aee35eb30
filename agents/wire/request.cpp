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

namespace {

RequestMembers members_of(Protocol protocol, const Request& request) {
  switch (protocol) {
    case Protocol::Chat: return chat_members(request);
    case Protocol::Responses: return responses_members(request);
    case Protocol::Messages: return messages_members(request);
  }
  return {};
}

// Returns the text of a list or of an object without its brackets.
std::string inner_text(const boost::json::value& value) {
  const std::string text = boost::json::serialize(value);
  return text.substr(1, text.size() - 2);
}

bool is_user_message(const boost::json::value& entry) { return entry.at("role") == "user"; }

}  // namespace

ConversationPiece conversation_piece(Protocol protocol, std::string_view provider,
                                     std::span<const ConversationItem> items) {
  boost::json::array entries;
  for (const ConversationItem& item : items) {
    switch (protocol) {
      case Protocol::Chat: add_chat_item(entries, provider, item); break;
      case Protocol::Responses: add_responses_item(entries, provider, item); break;
      case Protocol::Messages: add_messages_item(entries, provider, item); break;
    }
  }
  ConversationPiece piece{inner_text(entries)};
  if (protocol != Protocol::Messages || entries.empty()) return piece;
  piece.begins_with_block = is_user_message(entries.front());
  piece.ends_with_block = is_user_message(entries.back());
  if (piece.ends_with_block) piece.text.resize(piece.text.size() - kUserEnd.size());
  if (piece.begins_with_block) piece.text.erase(0, kUserBegin.size());
  return piece;
}

RequestFrame request_frame(Protocol protocol, const Request& request) {
  const RequestMembers members = members_of(protocol, request);
  RequestFrame frame;
  frame.head = "{" + inner_text(members.head) + ",\"" + std::string(members.conversation) + "\":[";
  frame.head += inner_text(members.entries);
  frame.has_entries = !members.entries.empty();
  frame.tail = members.tail.empty() ? "]}" : "]," + inner_text(members.tail) + "}";
  return frame;
}

std::string write_request(Protocol protocol, std::string_view provider, const Request& request) {
  const ConversationPiece all = conversation_piece(protocol, provider, request.items);
  const ConversationPiece* const pieces[] = {&all};
  return write_body(request_frame(protocol, request), pieces);
}

bool goes_back_unchanged(Protocol protocol, std::string_view provider, const ModelTurn& turn) {
  return turn.protocol == protocol && turn.provider == provider && !turn.content.empty();
}

std::string argument_text(const ToolCall& call) {
  if (call.arguments_text && !call.arguments_text->empty()) return *call.arguments_text;
  return call.arguments ? boost::json::serialize(*call.arguments) : "{}";
}

}  // namespace ptcvm::wire
