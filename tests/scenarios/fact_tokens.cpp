#include "tests/scenarios/fact_tokens.h"

#include <algorithm>
#include <stdexcept>

namespace ptcvm::scenarios {

namespace json = boost::json;
using harness::FactType;

namespace {

struct Token {
  std::string_view prefix;
  FactType type;
  std::string_view member;   // the member of the body that the token names
};
constexpr Token kTokens[] = {
    {"st", FactType::status_changed, "a2a"},         {"in", FactType::message_received, "messageId"},
    {"out", FactType::message_sent, "messageId"},    {"whisper", FactType::user_guidance, "gid"},
    {"answer", FactType::user_answer, "qid"},        {"question", FactType::agent_question, "qid"},
    {"agent_answer", FactType::agent_answer, "qid"}, {"draft", FactType::compose_intent, "composeId"},
    {"dismiss", FactType::compose_dismissed, "composeId"}, {"sleep", FactType::sleep, ""},
    {"call", FactType::tool_call, "callId"},         {"result", FactType::tool_result, "callId"},
    {"att", FactType::attachment_added, "name"},     {"err", FactType::planner_error, "code"},
    {"timer", FactType::timer_fired, "timer"},       {"refused", FactType::message_refused, "messageId"},
};

json::object body_of(FactType type, std::string_view name) {
  switch (type) {
    case FactType::status_changed: return {{"a2a", name}};
    case FactType::message_received:
    case FactType::message_refused:
    case FactType::message_sent: return {{"messageId", name}, {"text", name}};
    case FactType::user_guidance: return {{"gid", name}, {"text", name}};
    case FactType::user_answer:
    case FactType::agent_answer: return {{"qid", name}, {"text", "yes"}};
    case FactType::agent_question: return {{"qid", name}, {"prompt", "?"}};
    case FactType::compose_intent: return {{"composeId", name}, {"text", "d"}};
    case FactType::compose_dismissed: return {{"composeId", name}};
    case FactType::sleep: return {};
    case FactType::tool_call: return {{"callId", name}, {"name", "t"}, {"args", json::object()}};
    case FactType::tool_result: return {{"callId", name}, {"ok", true}};
    case FactType::attachment_added:
      return {{"name", name}, {"mimeType", "text/plain"}, {"bytes", "aGk="}, {"origin", "inbound"}};
    case FactType::planner_error: return {{"code", name}, {"message", name}, {"stage", "decision"}, {"attempts", 1}};
    case FactType::timer_fired: return {{"timer", name}};
  }
  return {};
}

}  // namespace

void FactTokens::add(std::string_view token, std::vector<harness::ProposedFact>& facts) {
  const std::size_t colon = token.find(':');
  const std::string_view prefix = token.substr(0, colon);
  const std::string name(colon == std::string_view::npos ? "" : token.substr(colon + 1));
  if (prefix == "pad" || prefix == "seen" || prefix == "effects") {
    const FactType type = prefix == "effects" ? FactType::tool_call : FactType::attachment_added;
    for (int left = std::stoi(name); left > 0; --left) {
      facts.push_back({type, body_of(type, std::string(prefix) + '-' + std::to_string(++count_))});
    }
    return;
  }
  const auto* const found = std::ranges::find(kTokens, prefix, &Token::prefix);
  if (found == std::end(kTokens)) throw std::invalid_argument("no such token: " + std::string(token));
  facts.push_back({found->type, body_of(found->type, name)});
}

std::vector<harness::ProposedFact> FactTokens::read(const json::value& tokens) {
  std::vector<harness::ProposedFact> facts;
  if (tokens.is_string()) add(tokens.get_string(), facts);
  if (tokens.is_array()) {
    for (const json::value& item : tokens.get_array()) {
      for (harness::ProposedFact& fact : read(item)) facts.push_back(std::move(fact));
    }
  }
  if (const json::object* const object = tokens.if_object()) {
    const auto type = harness::find_fact_type(harness::text_of(*object, "type"));
    if (!type) throw std::invalid_argument("no such type of facts: " + std::string(harness::text_of(*object, "type")));
    json::object body = *object;
    body.erase("type");
    facts.push_back({*type, std::move(body)});
  }
  return facts;
}

std::string token_of(FactType type, const json::object& body) {
  const auto* const found = std::ranges::find(kTokens, type, &Token::type);
  std::string token(found->prefix);
  if (!found->member.empty()) token.append(":").append(harness::text_of(body, found->member));
  return token;
}

json::array tokens_of(const harness::ConversationView& view) {
  json::array tokens;
  for (const harness::Fact& fact : view.facts()) tokens.emplace_back(token_of(fact.type, fact.body));
  return tokens;
}

}  // namespace ptcvm::scenarios
