#include <utility>

#include "agents/wire/request_fold.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

json::object call_json(const ToolCall& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", argument_text(call)}}}};
}

json::object turn_json(const ModelTurn& turn) {
  json::object message{{"role", "assistant"}, {"content", turn.text}};
  json::array calls;
  for (const ToolCall& call : turn.tool_calls) calls.push_back(call_json(call));
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  return message;
}

}  // namespace

void add_chat_item(json::array& messages, std::string_view provider, const ConversationItem& item) {
  if (const auto* const user = std::get_if<UserText>(&item)) {
    messages.push_back({{"role", "user"}, {"content", user->text}});
  } else if (const auto* const result = std::get_if<ToolResult>(&item)) {
    messages.push_back({{"role", "tool"}, {"tool_call_id", result->call_id}, {"content", result->text}});
  } else {
    const ModelTurn& turn = std::get<ModelTurn>(item);
    if (!goes_back_unchanged(Protocol::Chat, provider, turn)) return messages.push_back(turn_json(turn));
    for (const json::value& message : turn.content) messages.push_back(message);
  }
}

RequestMembers chat_members(const Request& request) {
  RequestMembers out;
  out.conversation = "messages";
  if (!request.system.empty()) out.entries.push_back({{"role", "system"}, {"content", request.system}});
  json::array tools;
  for (const ToolDefinition& tool : request.tools) {
    tools.push_back({{"type", "function"},
                     {"function",
                      {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}}}});
  }
  out.head["model"] = request.model;
  if (!tools.empty()) out.head["tools"] = std::move(tools);
  if (request.must_call_tool) out.head["tool_choice"] = "required";
  if (request.most_output_tokens) out.tail["max_completion_tokens"] = *request.most_output_tokens;
  if (request.temperature) out.tail["temperature"] = *request.temperature;
  if (request.is_stream) {
    out.tail["stream"] = true;
    out.tail["stream_options"] = json::object{{"include_usage", true}};
  }
  return out;
}

}  // namespace ptcvm::wire
