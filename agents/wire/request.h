// What is asked of a model, the same for all protocols, and its JSON for each of them.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/wire/reply.h"

namespace ptcvm::wire {

// What a person or the host says.
struct UserText {
  std::string text;
};

// What a model said. `content` is Reply::content of the provider that is named; another provider gets text and calls.
struct ModelTurn {
  std::string provider;              // any name that the host gives to a server; equal names mean the same server
  Protocol protocol = Protocol::Chat;
  boost::json::array content;
  std::string text;
  std::vector<ToolCall> tool_calls;
};

// The result of one call of the model turn before it.
struct ToolResult {
  std::string call_id;
  std::string text;
  bool is_error = false;
};

using ConversationItem = std::variant<UserText, ModelTurn, ToolResult>;

struct ToolDefinition {
  std::string name, description;
  boost::json::object parameters;    // JSON Schema of the arguments
};

struct Request {
  std::string model;
  std::string system;                // the static part; empty: there is none
  std::vector<ConversationItem> items;
  std::vector<ToolDefinition> tools;
  bool must_call_tool = false;       // the reply has to call one of the tools
  std::optional<std::int64_t> most_output_tokens;   // messages needs one and takes 4096 when there is none
  std::optional<double> temperature;
  bool is_stream = false;
};

// Returns what is wrong with the conversation, or nullopt. A provider refuses a conversation in which a call has no
// result directly behind its turn, a result has no call, or the first item is no text of a user.
std::optional<std::string> conversation_fault(const std::vector<ConversationItem>& items);

// Items that follow each other in a conversation, as JSON of one protocol. A sender of a growing conversation keeps
// the pieces of what stays.
struct ConversationPiece {
  std::string text;
  bool begins_with_block = false;    // messages: the text begins inside of a message of the user
  bool ends_with_block = false;      // messages: the message of the user at the end is open
};
ConversationPiece conversation_piece(Protocol protocol, std::string_view provider,
                                     std::span<const ConversationItem> items);

// What a body has around the conversation.
struct RequestFrame {
  std::string head, tail;
  bool has_entries = false;          // the head has an entry of the conversation, with the system text
};
// Reads all of the request except its items.
RequestFrame request_frame(Protocol protocol, const Request& request);

// Returns the body of a request whose conversation is in pieces: the same bytes as write_request().
std::string write_body(const RequestFrame& frame, std::span<const ConversationPiece* const> pieces);

// Returns the body of the request for that protocol. `provider` decides which content goes back unchanged. The text is
// the same whenever the request is the same; members have a fixed order, so that providers can cache the beginning.
// The conversation must have no fault.
std::string write_request(Protocol protocol, std::string_view provider, const Request& request);

// Returns where the request goes, behind the base URL of the server: "/chat/completions", "/responses", "/messages".
std::string_view request_path(Protocol protocol);

}  // namespace ptcvm::wire
