#include "agents/harness/people/conversation_json.h"

#include <boost/json/parse.hpp>

#include "agents/harness/conversation/ingestion.h"
#include "agents/harness/sending/drafts.h"

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

constexpr std::size_t kFactsAtOnce = 1'000;

json::object stamp_json(std::uint64_t seq, std::int64_t time_ms, std::string_view type, HostFactClass fact_class,
                        std::string_view by) {
  json::object line{{"seq", seq}, {"time", time_ms}, {"type", type}, {"class", class_name(fact_class)}};
  if (!by.empty()) line["by"] = by;
  return line;
}

json::object log_fact_json(const HostFact& fact, const ConversationView& view) {
  boost::system::error_code error;
  json::value body = json::parse(fact.body, error);
  if (error || !body.is_object()) body = json::object{{"text", fact.body}};
  json::object line;
  if (const auto type = fact.is_of_host ? find_fact_type(fact.name) : std::nullopt) {
    line = fact_json({fact.seq, fact.time_ms, fact.fact_class, fact.by, *type, std::move(body.get_object())});
  } else {
    line = stamp_json(fact.seq, fact.time_ms, fact.name, fact.fact_class, fact.by);
    for (auto& [name, value] : body.get_object()) line.emplace(name, std::move(value));
  }
  const Fact* const counted = view.fact_at(fact.seq);
  line["counts"] = counted != nullptr;
  // The log does not say to which draft a message belongs, and the view does.
  const json::value* const compose_id = counted == nullptr ? nullptr : counted->body.if_contains("composeId");
  if (compose_id != nullptr) line["composeId"] = *compose_id;
  return line;
}

}  // namespace

std::string_view waits_for(const ConversationView& view, const EvaluateRules& rules) {
  if (view.in_flight() != 0) return "in_flight";   // until then neither the planner nor a person goes on
  if (is_terminal_status(view.status())) return "over";   // a draft or a question of it waits for nobody
  if (view.counted() >= rules.most_facts) return "frozen";
  if (!view.unsent_draft().empty()) return "draft";
  if (view.question_to_answer() != nullptr) return "question";
  if (view.parked_pass()) return "waiting";
  if (view.given_up() != nullptr) return "given_up";
  return view.status() == "working" || view.status() == "submitted" ? "turn" : "idle";
}

json::object fact_json(const Fact& fact) {
  json::object line = stamp_json(fact.seq, fact.time_ms, fact_info(fact.type).name, fact.fact_class, fact.by);
  for (const auto& [name, value] : fact.body) {
    const bool is_file = fact.type == FactType::attachment_added && name == "bytes";
    if (!is_file) line.emplace(name, value);
  }
  if (fact.type == FactType::attachment_added) line["size"] = decoded_size(text_of(fact.body, "bytes"));
  return line;
}

Result<json::array> journal_json(const Conversation& conversation) {
  json::array journal;
  for (std::uint64_t seen = 0;;) {
    const Result<std::vector<HostFact>> facts = conversation.log().read(seen, kFactsAtOnce);
    if (!facts) return facts.error();
    for (const HostFact& fact : *facts) {
      if (fact.seq > conversation.view().log_seq()) return journal;   // came after the view
      journal.push_back(log_fact_json(fact, conversation.view()));
      seen = fact.seq;
    }
    if (facts->size() < kFactsAtOnce) return journal;
  }
}

json::array settle_json(const ConversationView& view) {
  json::array settle;
  for (const Sending& sending : sends_in_flight(view)) {
    json::object entry{
        {"draft", sending.compose_id}, {"messageId", sending.message_id}, {"outcomes", json::array{"arrived", "lost"}}};
    const DraftState& draft = view.drafts().at(sending.compose_id);
    if (!draft.sender.empty() && !HostLog::is_gone(draft.sender)) {
      entry["sender"] = draft.sender;
      entry["until"] = draft.sends_until_ms;
    }
    settle.push_back(std::move(entry));
  }
  return settle;
}

json::object state_json(const ConversationView& view, const EvaluateRules& rules) {
  json::array drafts, in_flight, in_doubt;
  for (const std::string& id : view.unsent_drafts()) drafts.emplace_back(id);
  for (const auto& [id, draft] : view.drafts()) {
    if (!draft.in_flight.empty()) in_flight.emplace_back(id);
  }
  for (const UnsettledCall& call : view.unsettled_calls()) {
    in_doubt.push_back(json::object{{"run", call.program}, {"key", call.key}});
  }
  return {{"status", waits_for(view, rules)},
          {"state", view.status().empty() ? json::value() : json::value(view.status())},
          {"draft", draft_json(view)},
          {"question", body_of(view.question_to_answer())},
          {"given_up", body_of(view.given_up())},
          {"facts", view.facts().size()},
          {"drafts", std::move(drafts)},
          {"in_flight", std::move(in_flight)},
          {"settle", settle_json(view)},
          {"in_doubt", std::move(in_doubt)},
          {"seq", view.log_seq()},
          {"generation", view.generation()}};
}

}  // namespace ptcvm::harness
