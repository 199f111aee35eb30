// Messages: a message of content blocks, or the events that build one block after the other.
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/replay/event_writer.h"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

const char* stop_reason(const SaidReply& reply) { return reply.calls.empty() ? "end_turn" : "tool_use"; }

json::object messages_usage(const wire::TokenUsage& usage) {
  json::object counts, out;
  put_count(counts, "input_tokens", usage.input);
  put_count(counts, "cache_read_input_tokens", usage.cached);
  put_count(counts, "cache_creation_input_tokens", usage.cache_written);
  put_count(counts, "output_tokens", usage.output);
  put_count(out, "thinking_tokens", usage.reasoning);
  if (!out.empty()) counts["output_tokens_details"] = std::move(out);
  return counts;
}

json::object message_json(json::array content, json::value stop, const SaidReply& reply) {
  json::object message{{"id", "msg_scripted"}, {"type", "message"}, {"role", "assistant"},
                       {"content", std::move(content)}, {"stop_reason", std::move(stop)}};
  if (reply.usage) message["usage"] = messages_usage(*reply.usage);
  return message;
}

json::object call_block(const SaidCall& call, json::value input) {
  return {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}};
}

class BlockEvents {
 public:
  explicit BlockEvents(EventWriter& events) : events_(events) {}
  void start(json::object block) {
    events_.add("content_block_start",
                {{"type", "content_block_start"}, {"index", index_}, {"content_block", std::move(block)}});
  }
  void delta(json::object delta) {
    events_.add("content_block_delta",
                {{"type", "content_block_delta"}, {"index", index_}, {"delta", std::move(delta)}});
  }
  void stop() { events_.add("content_block_stop", {{"type", "content_block_stop"}, {"index", index_++}}); }

 private:
  EventWriter& events_;
  std::size_t index_ = 0;
};

}  // namespace

std::string messages_document(const SaidReply& reply) {
  json::array content;
  if (!reply.text.empty()) content.push_back({{"type", "text"}, {"text", reply.text}});
  for (const SaidCall& call : reply.calls) {
    boost::system::error_code error;
    json::value input = json::parse(call.arguments_text, error);
    if (error) input = call.arguments_text;
    content.push_back(call_block(call, std::move(input)));
  }
  return json::serialize(message_json(std::move(content), stop_reason(reply), reply));
}

std::string messages_stream(const SaidReply& reply, bool is_cut) {
  EventWriter events;
  BlockEvents blocks(events);
  events.add("message_start", {{"type", "message_start"}, {"message", message_json({}, nullptr, reply)}});
  if (!reply.text.empty()) {
    blocks.start({{"type", "text"}, {"text", ""}});
    for (const std::string_view piece : text_pieces(reply.text)) {
      blocks.delta({{"type", "text_delta"}, {"text", piece}});
    }
    if (!is_cut) blocks.stop();
  }
  if (is_cut) return events.take();
  for (const SaidCall& call : reply.calls) {
    blocks.start(call_block(call, json::object()));
    blocks.delta({{"type", "input_json_delta"}, {"partial_json", call.arguments_text}});
    blocks.stop();
  }
  json::object delta{{"type", "message_delta"}, {"delta", {{"stop_reason", stop_reason(reply)}}}};
  if (reply.usage) delta["usage"] = messages_usage(*reply.usage);
  events.add("message_delta", delta);
  events.add("message_stop", {{"type", "message_stop"}});
  return events.take();
}

}  // namespace ptcvm::replay
