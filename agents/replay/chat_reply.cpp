// Chat completions: a message, or chunks with deltas.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/replay/event_writer.h"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

constexpr std::string_view kChatId = "chatcmpl-scripted";

const char* finish_reason(const SaidReply& reply) { return reply.calls.empty() ? "stop" : "tool_calls"; }

json::object chat_usage(const wire::TokenUsage& usage) {
  json::object counts, in, out;
  put_count(counts, "prompt_tokens", usage.input);
  put_count(counts, "completion_tokens", usage.output);
  put_count(in, "cached_tokens", usage.cached);
  put_count(in, "cache_write_tokens", usage.cache_written);
  put_count(out, "reasoning_tokens", usage.reasoning);
  if (!in.empty()) counts["prompt_tokens_details"] = std::move(in);
  if (!out.empty()) counts["completion_tokens_details"] = std::move(out);
  return counts;
}

json::object chat_call(const SaidCall& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments_text}}}};
}

json::object chat_chunk(json::object delta, json::value finish) {
  return {{"id", kChatId},
          {"object", "chat.completion.chunk"},
          {"choices", json::array{{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(finish)}}}}};
}

}  // namespace

std::string chat_document(const SaidReply& reply) {
  json::object message{{"role", "assistant"}, {"content", reply.text}};
  json::array calls;
  for (const SaidCall& call : reply.calls) calls.push_back(chat_call(call));
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  json::object choice{{"index", 0}, {"message", std::move(message)}, {"finish_reason", finish_reason(reply)}};
  json::object document{{"id", kChatId}, {"object", "chat.completion"}, {"choices", json::array{std::move(choice)}}};
  if (reply.usage) document["usage"] = chat_usage(*reply.usage);
  return json::serialize(document);
}

std::string chat_stream(const SaidReply& reply, bool is_cut) {
  EventWriter events;
  json::object usage{{"id", kChatId}, {"object", "chat.completion.chunk"}, {"choices", json::array()}};
  if (reply.usage) usage["usage"] = chat_usage(*reply.usage);
  events.add("", chat_chunk({{"role", "assistant"}, {"content", ""}}, nullptr));
  for (const std::string_view piece : text_pieces(reply.text)) {
    events.add("", chat_chunk({{"content", piece}}, nullptr));
  }
  if (is_cut) {
    if (reply.usage) events.add("", usage);
    return events.take();
  }
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    json::object call = chat_call(reply.calls[i]);
    call["index"] = i;
    events.add("", chat_chunk({{"tool_calls", json::array{std::move(call)}}}, nullptr));
  }
  events.add("", chat_chunk({}, finish_reason(reply)));
  if (reply.usage) events.add("", usage);
  events.add_done();
  return events.take();
}

}  // namespace ptcvm::replay
