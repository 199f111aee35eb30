#include "agents/chain/memory/context.h"

#include <boost/json/array.hpp>

#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

json::array list_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::object tool_json(const ContextTool& tool) {
  json::object out{{"name", tool.name}};
  if (!tool.signature.empty()) out["signature"] = tool.signature;
  if (!tool.description.empty()) out["description"] = tool.description;
  return out;
}

json::object episode_json(const Episode& episode) {
  return {{"taskId", episode.task_id},
          {"input", episode.input},
          {"result", episode.result},
          {"strategyId", episode.strategy_id},
          {"strategyVersion", episode.strategy_version},
          {"createdAt", episode.created_ms}};
}

std::int64_t moment_in(const json::object& object) {
  const json::value* const found = object.if_contains("createdAt");
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

json::object object_in(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found != nullptr && found->is_object() ? found->get_object() : json::object();
}

std::vector<std::string> texts_in(const json::value& list) {
  std::vector<std::string> texts;
  for (const json::value& text : list.as_array()) texts.emplace_back(text.as_string());
  return texts;
}

}  // namespace

json::object context_json(const TaskContext& context) {
  json::array tools, facts, episodes;
  for (const ContextTool& tool : context.tools) tools.push_back(tool_json(tool));
  for (const MemoryFact& fact : context.facts) {
    facts.push_back(json::object{{"key", fact.key}, {"content", fact.content}, {"createdAt", fact.created_ms}});
  }
  for (const Episode& episode : context.episodes) episodes.push_back(episode_json(episode));
  json::object out{{"cwd", context.cwd},
                   {"tools", std::move(tools)},
                   {"strategyId", context.strategy_id},
                   {"strategyVersion", context.strategy_version},
                   {"riskPolicy",
                    {{"requiresConfirmation", list_of(context.confirmed_tools)},
                     {"deniedTools", list_of(context.denied_tools)}}}};
  for (const auto& [name, section] : {std::pair("system", &context.system), {"constraints", &context.constraints},
                                      {"preferences", &context.preferences}}) {
    if (!section->empty()) out[name] = *section;
  }
  out["facts"] = std::move(facts);
  out["episodes"] = std::move(episodes);
  return out;
}

std::variant<TaskContext, DocumentFault> read_context(const json::value& document) {
  if (auto fault = document_fault(DocumentType::Context, document)) return *std::move(fault);
  const json::object& object = document.get_object();
  TaskContext context;
  context.cwd = member_text(object, "cwd");
  context.strategy_id = member_text(object, "strategyId");
  context.strategy_version = member_text(object, "strategyVersion");
  for (const json::value& tool : object.at("tools").as_array()) {
    const json::object& one = tool.as_object();
    context.tools.push_back({member_text(one, "name"), member_text(one, "signature"), member_text(one, "description")});
  }
  for (const json::value& fact : object.at("facts").as_array()) {
    const json::object& one = fact.as_object();
    context.facts.push_back({member_text(one, "key"), member_text(one, "content"), moment_in(one)});
  }
  for (const json::value& episode : object.at("episodes").as_array()) {
    const json::object& one = episode.as_object();
    context.episodes.push_back({member_text(one, "taskId"), member_text(one, "input"), member_text(one, "result"),
                                member_text(one, "strategyId"), member_text(one, "strategyVersion"), moment_in(one)});
  }
  context.system = object_in(object, "system");
  context.constraints = object_in(object, "constraints");
  context.preferences = object_in(object, "preferences");
  const json::object& policy = object.at("riskPolicy").as_object();
  context.confirmed_tools = texts_in(policy.at("requiresConfirmation"));
  context.denied_tools = texts_in(policy.at("deniedTools"));
  return context;
}

}  // namespace ptcvm::chain
