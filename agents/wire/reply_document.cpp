#include "agents/wire/reply_document.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/wire/reply_reader.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::object chat_document(const Reply& reply) {
  json::object choice{{"index", 0}, {"finish_reason", text_or_null(reply.stop)}};
  choice["message"] = reply.content.empty() ? json::value(nullptr) : reply.content.front();
  return {{"choices", json::array{std::move(choice)}}};
}

json::object messages_document(const Reply& reply) {
  return {{"type", "message"},
          {"role", "assistant"},
          {"content", reply.content},
          {"stop_reason", text_or_null(reply.stop)}};
}

json::object responses_document(const Reply& reply) {
  return {{"status", "completed"}, {"output", reply.content}};
}

// A document of messages has arguments without a text; a stream has both.
bool is_same(const ToolCall& a, const ToolCall& b) {
  const bool is_same_text = a.arguments_text == b.arguments_text || (a.arguments && !b.arguments_text);
  return a.id == b.id && a.name == b.name && is_same_text && a.arguments == b.arguments && a.takes_text == b.takes_text;
}

bool is_same(const Reply& a, const Reply& b) {
  return a.is_complete == b.is_complete && a.text == b.text && a.thinking == b.thinking && a.refusal == b.refusal &&
         a.stop == b.stop && a.stop_detail == b.stop_detail && a.usage == b.usage && a.items == b.items &&
         a.content == b.content &&
         std::equal(a.tool_calls.begin(), a.tool_calls.end(), b.tool_calls.begin(), b.tool_calls.end(),
                    [](const ToolCall& x, const ToolCall& y) { return is_same(x, y); });
}

}  // namespace

std::optional<json::object> reply_document(Protocol protocol, const Reply& reply) {
  if (!reply.is_complete || reply.error) return std::nullopt;
  json::object document;
  switch (protocol) {
    case Protocol::Chat: document = chat_document(reply); break;
    case Protocol::Responses: document = responses_document(reply); break;
    case Protocol::Messages: document = messages_document(reply); break;
  }
  if (!reply.usage_raw.is_null()) document["usage"] = reply.usage_raw;
  ReplyReader::Answer answer;
  answer.protocol = protocol;
  ReplyReader reader(std::move(answer));
  reader.feed(json::serialize(document));
  if (!is_same(reply, reader.finish(ReplyReader::End::Proper, 0))) return std::nullopt;
  return document;
}

}  // namespace ptcvm::wire
