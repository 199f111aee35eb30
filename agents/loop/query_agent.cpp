#include "agents/loop/query_agent.h"

#include <utility>

#include "agents/loop/conversation.h"
#include "agents/loop/prompt.h"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

Error invalid(std::string message) {
  return {Errc::invalid_value, std::string(kLlmQuery) + ": " + std::move(message), std::nullopt, {}};
}

// Returns the text of an argument, "" when it is missing, or nullopt when it is no text.
std::optional<std::string> text_of(const json::object& arguments, std::string_view name) {
  const json::value* const value = arguments.if_contains(name);
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? std::optional(std::string(value->get_string())) : std::nullopt;
}

}  // namespace

Result<void> QueryAgent::read(const json::object& arguments) {
  const auto prompt = text_of(arguments, "prompt"), signature = text_of(arguments, "signature");
  const auto model = text_of(arguments, "llm");
  if (!prompt || prompt->empty()) return invalid(":prompt must be a text");
  if (!signature) return invalid(":signature must be a text such as \"{score :int}\"");
  if (!model || (!model->empty() && *model != "caller")) return invalid(":llm can only be :caller");
  if (arguments.contains("response_template")) return invalid("there is no :response_template; use the answer instead");
  if (const auto names = template_names(*prompt); !names) {
    return invalid(":prompt is no template: " + names.error().message);
  }
  auto result = Signature::parse(signature->empty() ? ":string" : *signature);
  if (!result) result = Signature::parse(":" + *signature);   // a keyword, which lost its colon
  if (!result) return invalid(":signature: " + result.error().message);
  definition_.name = kLlmQuery;
  definition_.prompt = *prompt;
  definition_.signature = *signature;
  definition_.output = AgentOutput::Text;
  definition_.limits.max_turns = definition_.limits.turns = 1;
  agent_.is_text_result = takes_text(*result);
  agent_.signature = std::move(*result);
  return {};
}

Result<std::unique_ptr<const QueryAgent>> QueryAgent::make(const Agent::Impl& tree, const CompiledAgent& asker,
                                                           const json::object& arguments) {
  std::unique_ptr<QueryAgent> made(new QueryAgent);
  if (auto read = made->read(arguments); !read) return read.error();
  CompiledAgent& agent = made->agent_;
  agent.path = path_below(asker.path, kLlmQuery);
  agent.definition = &made->definition_;
  agent.model = asker.model;
  if (tree.options.model_of) {
    if (auto model = tree.options.model_of(agent.path)) agent.model = std::move(*model);
  }
  agent.mode = agent.is_text_result ? ReplyMode::Text : ReplyMode::Json;
  agent.static_prompt = static_prompt(agent);
  agent.frame = wire::request_frame(agent.model.protocol, request_settings(agent));
  return std::unique_ptr<const QueryAgent>(std::move(made));
}

}  // namespace ptcvm::loop
