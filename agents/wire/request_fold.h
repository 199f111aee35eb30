// Makes the JSON of a request, protocol by protocol (request.h).
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/wire/request.h"

namespace ptcvm::wire {

// The members of a body before and behind the conversation, and the name of the member with the conversation.
struct RequestMembers {
  boost::json::object head, tail;
  std::string_view conversation;
  boost::json::array entries;   // go before the items of the conversation
};
RequestMembers chat_members(const Request& request);
RequestMembers responses_members(const Request& request);
RequestMembers messages_members(const Request& request);

// Adds an item to entries of a conversation.
void add_chat_item(boost::json::array& entries, std::string_view provider, const ConversationItem& item);
void add_responses_item(boost::json::array& entries, std::string_view provider, const ConversationItem& item);
// Results and texts that follow each other are blocks of one message: roles have to take turns.
void add_messages_item(boost::json::array& entries, std::string_view provider, const ConversationItem& item);

// What is around the blocks in a message of the user (messages).
inline constexpr std::string_view kUserBegin = R"({"role":"user","content":[)", kUserEnd = "]}";

// Returns whether the server gets what it sent, as it sent it.
bool goes_back_unchanged(Protocol protocol, std::string_view provider, const ModelTurn& turn);
// Returns the arguments of a call as text of JSON.
std::string argument_text(const ToolCall& call);

}  // namespace ptcvm::wire
