// Responses: a list of output items, or the events that tell of each item and at the end repeat the whole response.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/replay/event_writer.h"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

json::object responses_usage(const wire::TokenUsage& usage) {
  json::object counts, in, out;
  put_count(counts, "input_tokens", usage.input);
  put_count(counts, "output_tokens", usage.output);
  put_count(in, "cached_tokens", usage.cached);
  put_count(in, "cache_write_tokens", usage.cache_written);
  put_count(out, "reasoning_tokens", usage.reasoning);
  if (!in.empty()) counts["input_tokens_details"] = std::move(in);
  if (!out.empty()) counts["output_tokens_details"] = std::move(out);
  return counts;
}

json::array output_items(const SaidReply& reply) {
  json::array items;
  if (!reply.text.empty()) {
    items.push_back({{"type", "message"},
                     {"id", "msg_scripted"},
                     {"role", "assistant"},
                     {"status", "completed"},
                     {"content", json::array{{{"type", "output_text"}, {"text", reply.text}}}}});
  }
  for (const SaidCall& call : reply.calls) {
    items.push_back({{"type", "function_call"},
                     {"id", "fc_" + call.id},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", call.arguments_text},
                     {"status", "completed"}});
  }
  return items;
}

json::object response_json(const SaidReply& reply, std::string_view status, json::array output) {
  json::object response{
      {"id", "resp_scripted"}, {"object", "response"}, {"status", status}, {"output", std::move(output)}};
  if (reply.usage) response["usage"] = responses_usage(*reply.usage);
  return response;
}

}  // namespace

std::string responses_document(const SaidReply& reply) {
  return json::serialize(response_json(reply, "completed", output_items(reply)));
}

std::string responses_stream(const SaidReply& reply, bool is_cut) {
  EventWriter events;
  events.add("response.in_progress",
             {{"type", "response.in_progress"}, {"response", response_json(reply, "in_progress", {})}});
  for (const std::string_view piece : text_pieces(reply.text)) {
    events.add("response.output_text.delta",
               {{"type", "response.output_text.delta"}, {"output_index", 0}, {"content_index", 0}, {"delta", piece}});
  }
  if (is_cut) return events.take();
  const json::array items = output_items(reply);
  for (std::size_t i = 0; i < items.size(); ++i) {
    events.add("response.output_item.done",
               {{"type", "response.output_item.done"}, {"output_index", i}, {"item", items[i]}});
  }
  events.add("response.completed",
             {{"type", "response.completed"}, {"response", response_json(reply, "completed", items)}});
  return events.take();
}

}  // namespace ptcvm::replay
