#include "agents/harness/facts/fact.h"

#include <algorithm>
#include <array>

#include "agents/harness/facts/base64.h"
#include "agents/harness/facts/blank_text.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr FactInfo kInfos[] = {
#define FACT(name, fact_class, planner, boundary, regenerate, meaning) \
  {FactType::name, #name, HostFactClass::fact_class, planner, boundary, OnRegenerate::regenerate},
#include "agents/harness/facts/facts.def"
#undef FACT
};

struct StatusInfo {
  std::string_view name;
  bool may_be_asked, is_terminal;
};
constexpr StatusInfo kStatuses[] = {
    {"initializing", false, false}, {"submitted", false, false}, {"working", true, false},
    {"input-required", true, false}, {"completed", true, true},  {"failed", true, true},
    {"canceled", true, true},       {"rejected", true, true},    {"auth-required", true, false},
    {"unknown", false, false},
};

const StatusInfo* find_status(std::string_view name) {
  const auto* const found = std::ranges::find(kStatuses, name, &StatusInfo::name);
  return found == std::end(kStatuses) ? nullptr : found;
}

constexpr WaitedFact kWaited[] = {{FactType::user_answer, "qid", "text"},
                                  {FactType::tool_result, "callId", "result"},
                                  {FactType::timer_fired, "timer", "timer"},
                                  {FactType::message_sent, "composeId", "messageId"}};

enum class Shape : std::uint8_t { Text, Object, Bool, Texts };
struct Member {
  FactType type;
  std::string_view name;
  Shape shape;
};
// The members that a fact must have.
constexpr Member kMembers[] = {
    {FactType::status_changed, "a2a", Shape::Text},        {FactType::message_received, "messageId", Shape::Text},
    {FactType::message_received, "text", Shape::Text},     {FactType::message_sent, "messageId", Shape::Text},
    {FactType::message_sent, "text", Shape::Text},         {FactType::message_refused, "messageId", Shape::Text},
    {FactType::message_refused, "text", Shape::Text},      {FactType::attachment_added, "name", Shape::Text},
    {FactType::attachment_added, "mimeType", Shape::Text}, {FactType::attachment_added, "bytes", Shape::Text},
    {FactType::attachment_added, "origin", Shape::Text},   {FactType::tool_call, "callId", Shape::Text},
    {FactType::tool_call, "name", Shape::Text},            {FactType::tool_call, "args", Shape::Object},
    {FactType::tool_result, "callId", Shape::Text},        {FactType::tool_result, "ok", Shape::Bool},
    {FactType::agent_question, "qid", Shape::Text},        {FactType::agent_question, "prompt", Shape::Text},
    {FactType::user_answer, "qid", Shape::Text},           {FactType::user_answer, "text", Shape::Text},
    {FactType::user_guidance, "gid", Shape::Text},         {FactType::user_guidance, "text", Shape::Text},
    {FactType::compose_intent, "composeId", Shape::Text},  {FactType::compose_intent, "text", Shape::Text},
    {FactType::compose_dismissed, "composeId", Shape::Text}, {FactType::planner_error, "code", Shape::Text},
    {FactType::planner_error, "message", Shape::Text},     {FactType::timer_fired, "timer", Shape::Text},
};

// The members that a fact may have; null is like no member.
constexpr Member kOptional[] = {
    {FactType::agent_question, "required", Shape::Bool},    {FactType::agent_question, "placeholder", Shape::Text},
    {FactType::agent_question, "choices", Shape::Texts},    {FactType::compose_intent, "nextStateHint", Shape::Text},
    {FactType::sleep, "reason", Shape::Text},
};

bool has_shape(const json::value& value, Shape shape) {
  switch (shape) {
    case Shape::Text: return value.is_string();
    case Shape::Object: return value.is_object();
    case Shape::Bool: return value.is_bool();
    case Shape::Texts: break;
  }
  return value.is_array() && std::ranges::all_of(value.get_array(), [](const auto& item) { return item.is_string(); });
}

constexpr std::string_view shape_name(Shape shape) {
  switch (shape) {
    case Shape::Text: return "a text";
    case Shape::Object: return "an object";
    case Shape::Bool: return "true or false";
    case Shape::Texts: break;
  }
  return "a list of texts";
}

}  // namespace

std::span<const FactInfo> fact_infos() { return kInfos; }

std::span<const WaitedFact> waited_facts() { return kWaited; }

const FactInfo& fact_info(FactType type) { return kInfos[static_cast<std::size_t>(type)]; }

std::optional<FactType> find_fact_type(std::string_view name) {
  const auto* const found = std::ranges::find(kInfos, name, &FactInfo::name);
  if (found == std::end(kInfos)) return std::nullopt;
  return found->type;
}

std::string_view text_of(const json::object& body, std::string_view member) {
  const json::value* const found = body.if_contains(member);
  if (found == nullptr || !found->is_string()) return {};
  return found->get_string();
}

bool is_task_status(std::string_view status) { return find_status(status) != nullptr; }

std::string no_task_status(std::string_view status) {
  std::string names;
  for (const StatusInfo& info : kStatuses) names.append(names.empty() ? "" : ", ").append(info.name);
  return "\"" + std::string(status) + "\" is no state of a task; the states are " + names;
}

bool is_next_state(std::string_view status) {
  const StatusInfo* const found = find_status(status);
  return found != nullptr && found->may_be_asked;
}

bool is_terminal_status(std::string_view status) {
  const StatusInfo* const found = find_status(status);
  return found != nullptr && found->is_terminal;
}

std::optional<std::string> wrong_body(const ProposedFact& fact) {
  const auto refuse = [&fact](std::string what) {
    return std::string(fact_info(fact.type).name) + ": " + std::move(what);
  };
  const auto refuse_member = [&refuse](const Member& member) {
    return refuse("the member \"" + std::string(member.name) + "\" must be " + std::string(shape_name(member.shape)));
  };
  for (const Member& member : kMembers) {
    if (member.type != fact.type) continue;
    const json::value* const found = fact.body.if_contains(member.name);
    if (found == nullptr || !has_shape(*found, member.shape)) return refuse_member(member);
  }
  for (const Member& member : kOptional) {
    const json::value* const found = member.type == fact.type ? fact.body.if_contains(member.name) : nullptr;
    if (found != nullptr && !found->is_null() && !has_shape(*found, member.shape)) return refuse_member(member);
  }
  if (fact.type == FactType::status_changed && !is_task_status(text_of(fact.body, "a2a"))) {
    return refuse(no_task_status(text_of(fact.body, "a2a")));
  }
  const std::string_view hint = text_of(fact.body, "nextStateHint");
  if (fact.type == FactType::compose_intent && !hint.empty() && !is_next_state(hint)) {
    return refuse("nextStateHint: no message may ask for the state \"" + std::string(hint) + '"');
  }
  if (fact.type == FactType::agent_question && is_blank_text(text_of(fact.body, "prompt"))) {
    return refuse("the prompt is blank; say what is asked");
  }
  if (fact.type == FactType::attachment_added && !is_base64(text_of(fact.body, "bytes"))) {
    return refuse("the member \"bytes\" must be base64");
  }
  const json::value* const attachments = fact.body.if_contains("attachments");
  if (attachments == nullptr) return std::nullopt;
  if (!attachments->is_array()) return refuse("the member \"attachments\" must be a list");
  for (const json::value& item : attachments->get_array()) {
    if (item.is_object() && !text_of(item.get_object(), "name").empty()) continue;
    return refuse("each of the attachments must be an object with a name");
  }
  return std::nullopt;
}

bool is_message(FactType type) { return type == FactType::message_received || type == FactType::message_sent; }

bool ends_batch(FactType type) {
  return type == FactType::compose_intent || type == FactType::agent_question || type == FactType::sleep;
}

void remove_stamp(json::object& body) {
  for (const std::string_view member : {"seq", "ts", "time", "id", "author", "by", "class", "counts", "type"}) {
    body.erase(member);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace ptcvm::harness
