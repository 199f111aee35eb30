// The cursor of planning, as the log has it. Members that are missing are 0.
#include "agents/harness/conversation/conversation_view.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

PlannerName read_planner(const json::object& body) {
  const json::value* const seed = body.if_contains("seed");
  return {std::string(text_of(body, "planner")), seed == nullptr ? json::value() : *seed};
}

PlanCursor read_cursor(const json::object& body) {
  return {count_of(body, "generation"), read_seqs(body, "planned"), read_seqs(body, "failing"),
          static_cast<std::uint32_t>(count_of(body, "attempts")), read_planner(body)};
}

}   // namespace

json::object seqs_json(const TriggerSeqs& seqs) {
  json::object body;
  const auto add = [&body](std::string_view name, std::uint64_t seq) {
    if (seq != 0) body.emplace(name, seq);
  };
  add("status", seqs.status);
  add("inbound", seqs.inbound);
  add("outbound", seqs.outbound);
  add("whisper", seqs.whisper);
  add("answer", seqs.answer);
  return body;
}

TriggerSeqs read_seqs(const json::object& body, std::string_view member) {
  const json::value* const found = body.if_contains(member);
  if (found == nullptr || !found->is_object()) return {};
  const json::object& seqs = found->get_object();
  return {count_of(seqs, "status"), count_of(seqs, "inbound"), count_of(seqs, "outbound"), count_of(seqs, "whisper"),
          count_of(seqs, "answer")};
}

json::object cursor_json(const PlanCursor& cursor) {
  json::object body;
  if (cursor.generation != 0) body.emplace("generation", cursor.generation);
  if (cursor.planned != TriggerSeqs{}) body.emplace("planned", seqs_json(cursor.planned));
  if (cursor.failing != TriggerSeqs{}) body.emplace("failing", seqs_json(cursor.failing));
  if (cursor.attempts != 0) body.emplace("attempts", cursor.attempts);
  if (cursor.planner.type.empty()) return body;
  body["planner"] = cursor.planner.type;
  body["seed"] = cursor.planner.seed;
  return body;
}

std::optional<json::object> cursor_in(const HostFact& fact, json::object& body) {
  const auto found = fact.fact_class == HostFactClass::Decision ? body.find(kPlanCursor) : body.end();
  if (found == body.end() || !found->value().is_object()) return std::nullopt;
  json::object cursor = std::move(found->value().get_object());
  body.erase(found);
  return cursor;
}

void ConversationView::take_cursor(const HostFact& fact, const json::object& body) {
  cursor_ = read_cursor(body);
  if (cursor_.attempts == 0) calls_.committed(fact.seq, fact.writer);
  has_failed_last_ = is_of_failure(fact.seq);
  if (!has_failed_last_) kickoff_seq_ = 0;   // a pass that proposes nothing uses the wish up, too
  if (!cursor_.planner.type.empty()) planners_[fact.writer] = cursor_.planner;
  parked_pass_.reset();
  cursor_seq_ = fact.seq;
}

// A pass that failed writes its cursor in its planner_error; in older logs the cursor is behind an error that has none.
bool ConversationView::is_of_failure(std::uint64_t cursor_seq) const {
  if (facts_.empty() || facts_.back().type != FactType::planner_error) return false;
  const std::uint64_t error_seq = facts_.back().seq;
  return error_seq == cursor_seq || (error_seq + 1 == cursor_seq && cursor_seq_ != error_seq);
}

}   // namespace ptcvm::harness
