#include "runtime/log/fact_json.h"

#include <algorithm>
#include <boost/json.hpp>

#include "runtime/text/json_text.h"

namespace ptc {
namespace {

namespace json = boost::json;

// Every text of a fact, in the order in which they are written.
template <class AnyFact, class Visit>
void for_each_text(AnyFact& fact, Visit visit) {
  visit("key", fact.key);
  visit("id", fact.id);
  visit("value", fact.value);
  visit("text", fact.text);
  visit("status", fact.status);
  visit("tool", fact.tool);
  visit("args", fact.args);
  visit("effect", fact.effect);
  visit("idempotency_key", fact.idempotency_key);
  visit("task", fact.task);
  visit("errors", fact.errors);
}

void append_text_if_any(std::string& out, std::string_view name, std::string_view text) {
  if (!text.empty()) append_json_member(out, name, text);
}

void append_count(std::string& out, std::string_view name, std::uint64_t count) {
  if (count != 0) append_json_member(out, name, count);
}

template <class Whole>
bool take_whole(const json::value& value, Whole& out) {
  boost::system::error_code error;
  const auto number = value.to_number<Whole>(error);
  if (error) return false;
  out = number;
  return true;
}

bool take_kind(std::string_view name, FactKind& out) {
  const auto has_name = [name](const FactInfo& info) { return info.name == name; };
  const auto at = std::find_if(kFacts.begin(), kFacts.end(), has_name);
  if (at != kFacts.end()) out = static_cast<FactKind>(at - kFacts.begin());
  return at != kFacts.end();
}

bool take_author(std::string_view name, FactAuthor& out) {
  for (const FactAuthor author : {FactAuthor::Program, FactAuthor::Host, FactAuthor::Outside, FactAuthor::Person}) {
    if (fact_author_name(author) != name) continue;
    out = author;
    return true;
  }
  return false;
}

bool take_member(Fact& fact, std::string_view name, const json::value& value) {
  if (name == "seq") return take_whole(value, fact.seq);
  if (name == "time_ms") return take_whole(value, fact.time_ms);
  if (name == "writer") return take_whole(value, fact.writer);
  if (name == "number") return take_whole(value, fact.number);
  const json::string* const text = value.if_string();
  if (text == nullptr) return false;
  if (name == "kind") return take_kind(*text, fact.kind);
  if (name == "author") return take_author(*text, fact.author);
  std::string* member = name == "source" ? &fact.source : nullptr;
  for_each_text(fact, [&](std::string_view known, std::string& own) {
    if (known == name) member = &own;
  });
  if (member != nullptr) member->assign(text->data(), text->size());
  return member != nullptr;
}

}  // namespace

std::string fact_json(const Fact& fact) {
  std::string out = "{";
  if (fact.seq != 0) out += "\"seq\":" + std::to_string(fact.seq) + ",";
  out += "\"kind\":\"" + std::string(fact_name(fact.kind)) + "\"";
  append_text_if_any(out, "author", fact_author_name(fact.author));
  append_text_if_any(out, "source", fact.source);
  out += ",\"time_ms\":" + std::to_string(fact.time_ms);
  append_count(out, "writer", fact.writer);
  for_each_text(fact, [&out](std::string_view name, const std::string& text) { append_text_if_any(out, name, text); });
  append_count(out, "number", fact.number);
  return out + "}";
}

std::optional<Fact> read_fact_json(std::string_view line, std::string& why) {
  boost::system::error_code error;
  const json::value read = json::parse(line, error);
  const json::object* const object = error ? nullptr : read.if_object();
  if (object == nullptr || !object->contains("kind") || !object->contains("author")) {
    why = "no JSON object with kind and author";
    return std::nullopt;
  }
  Fact fact;
  for (const auto& [name, value] : *object) {
    if (take_member(fact, name, value)) continue;
    why = "member " + std::string(name) + " is unknown, or its value does not fit";
    return std::nullopt;
  }
  if (is_storable(fact)) return fact;
  why = "a fact that no store keeps";
  return std::nullopt;
}

}  // namespace ptc
