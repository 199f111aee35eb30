#include "agents/harness/conversation_json.h"

#include <boost/json/array.hpp>

#include "agents/harness/ingestion.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

std::string_view class_name(HostFactClass fact_class) {
  switch (fact_class) {
    case HostFactClass::Observation: return "observation";
    case HostFactClass::Effect: return "effect";
    case HostFactClass::Decision: return "decision";
    case HostFactClass::Control: return "control";
  }
  return "";
}

json::value body_of(const Fact* fact) { return fact == nullptr ? json::value() : json::value(fact->body); }

json::value draft_json(const ConversationView& view) {
  const DraftState* const draft = view.draft(view.unsent_draft());
  const Fact* const fact = draft == nullptr ? nullptr : view.fact_at(draft->seq);
  if (fact == nullptr) return nullptr;
  json::object body = fact->body;
  if (!draft->send_error.empty()) body["error"] = draft->send_error;
  return body;
}

}  // namespace

std::string_view waits_for(const ConversationView& view, const EvaluateRules& rules) {
  if (view.counted() >= rules.most_facts) return "frozen";
  if (!view.unsent_draft().empty()) return "draft";
  if (view.open_question() != nullptr) return "question";
  if (view.parked_pass()) return "waiting";
  if (is_terminal_status(view.status())) return "over";
  return view.status() == "working" || view.status() == "submitted" ? "turn" : "idle";
}

json::object fact_json(const Fact& fact) {
  json::object line{{"seq", fact.seq},
                    {"time", fact.time_ms},
                    {"type", fact_info(fact.type).name},
                    {"class", class_name(fact.fact_class)}};
  if (!fact.by.empty()) line["by"] = fact.by;
  for (const auto& [name, value] : fact.body) {
    const bool is_file = fact.type == FactType::attachment_added && name == "bytes";
    if (!is_file) line.emplace(name, value);
  }
  if (fact.type == FactType::attachment_added) line["size"] = decoded_size(text_of(fact.body, "bytes"));
  return line;
}

json::object state_json(const ConversationView& view, const EvaluateRules& rules) {
  json::array drafts, in_flight;
  for (const std::string& id : view.unsent_drafts()) drafts.emplace_back(id);
  for (const auto& [id, draft] : view.drafts()) {
    if (!draft.in_flight.empty()) in_flight.emplace_back(id);
  }
  return {{"status", waits_for(view, rules)},
          {"state", view.status().empty() ? json::value() : json::value(view.status())},
          {"draft", draft_json(view)},
          {"question", body_of(view.open_question())},
          {"facts", view.facts().size()},
          {"drafts", std::move(drafts)},
          {"in_flight", std::move(in_flight)},
          {"seq", view.log_seq()},
          {"generation", view.generation()}};
}

}  // namespace ptcvm::harness
