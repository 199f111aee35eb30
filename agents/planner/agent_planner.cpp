#include "agents/planner/agent_planner.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agents/harness/conversation_json.h"
#include "agents/harness/proposals.h"

namespace ptcvm::planner {

namespace json = boost::json;
using harness::ConversationView;
using harness::Fact;
using harness::FactType;
using harness::PlanOutput;
using loop::Operation;
using loop::OperationKind;

namespace {

template <class T>
T take(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}
void check(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

// Returns the id of the run: it stays the same until a pass consumes its triggers.
std::string run_id(const std::string& conversation, const harness::PlanCursor& cursor) {
  const harness::TriggerSeqs& planned = cursor.planned;
  std::string id = conversation + "/planner-" + std::to_string(cursor.generation);
  for (const std::uint64_t seq : {planned.status, planned.inbound, planned.outbound, planned.whisper, planned.answer}) {
    id += "-" + std::to_string(seq);
  }
  return id;
}

json::array facts_after(const ConversationView& view, std::uint64_t seq) {
  json::array facts;
  for (const Fact& fact : view.facts()) {
    if (fact.seq > seq) facts.push_back(harness::fact_json(fact));
  }
  return facts;
}

std::string data_of(const ConversationView& view) {
  const harness::DraftState* const draft = view.draft(view.unsent_draft());
  const Fact* const fact = draft == nullptr ? nullptr : view.fact_at(draft->seq);
  return json::serialize(json::object{
      {"status", view.status()},
      {"facts", facts_after(view, 0)},
      {"unsent_draft", fact == nullptr ? json::value() : json::value(harness::fact_json(*fact))}});
}

// The log of the run notes up to which fact the agent knows the conversation.
constexpr std::string_view kKnows = "conversation_known";

std::optional<std::uint64_t> known_seq(const HostLog& log) {
  std::optional<std::uint64_t> known;
  constexpr std::size_t kPage = 1'000;
  for (std::uint64_t seen = 0;;) {
    const auto facts = take(log.read(seen, kPage));
    for (const HostFact& fact : facts) {
      seen = fact.seq;
      if (fact.name == kKnows) known = std::stoull(fact.body);
    }
    if (facts.size() < kPage) return known;
  }
}

void note_known(HostLog& log, std::uint64_t seq, std::int64_t now_ms) {
  HostFact fact;
  fact.fact_class = HostFactClass::Control;
  fact.name = kKnows;
  fact.body = std::to_string(seq);
  fact.time_ms = now_ms;
  take(log.put(HostCut::blind(), {&fact, 1}));
}

// Names the question about a call. An answer that does not fit is followed by another round.
std::string question_id(const std::string& run, const Operation& operation, std::size_t round) {
  return run + "/" + operation.path + (round == 1 ? "" : "/" + std::to_string(round));
}

bool asks_person(const Operation& operation) {
  return operation.kind == OperationKind::Approval || operation.kind == OperationKind::Doubt;
}

const Fact* answer_to(const ConversationView& view, const std::string& qid) {
  for (auto fact = view.facts().rbegin(); fact != view.facts().rend(); ++fact) {
    if (fact->type == FactType::user_answer && harness::text_of(fact->body, "qid") == qid) return &*fact;
  }
  return nullptr;
}

// Returns the answer as one word in small letters, without spaces and marks at its end.
std::string word_of(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '.' && c != '!') word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return word;
}

bool says_yes(const std::string& word) { return word == "yes" || word == "y" || word == "true" || word == "ok"; }
bool says_no(const std::string& word) { return word == "no" || word == "n"; }

// A call in doubt did not happen, or it returned what the person says: JSON, or a text.
Result<void> settle_doubt(loop::StoredAgent& stored, const std::string& path, std::string_view text) {
  if (says_no(word_of(text))) return stored.reject(path, text);
  Result<Value> value = Value::from_json(text);
  const Value said = value ? *std::move(value) : Value::of(text);
  return stored.resolve(path, said);
}

Result<void> hand_in(loop::StoredAgent& stored, const Operation& operation, std::string_view text) {
  if (operation.kind == OperationKind::Doubt) return settle_doubt(stored, operation.path, text);
  if (says_yes(word_of(text))) return stored.resolve(operation.path, Value::of(true));
  return stored.reject(operation.path, text);
}

// Gives the run what people have answered in the conversation. A value that does not fit the tool is asked for again.
void hand_in_answers(loop::StoredAgent& stored, const ConversationView& view) {
  take(stored.step());
  for (const Operation& operation : stored.run().operations()) {
    if (!asks_person(operation)) continue;
    for (std::size_t round = 1;; ++round) {
      const Fact* const answer = answer_to(view, question_id(stored.run().id(), operation, round));
      if (answer == nullptr) break;
      const Result<void> taken = hand_in(stored, operation, harness::text_of(answer->body, "text"));
      if (taken) break;
      if (taken.error().code != Errc::invalid_value) check(taken);
    }
  }
}

std::string prompt_of(const Operation& operation) {
  if (operation.kind == OperationKind::Approval) {
    return "May " + operation.tool + " be called with " + operation.args_json + "?";
  }
  return "Nobody knows whether " + operation.tool + " was called with " + operation.args_json +
         ". Answer no when it was not, and it is called; or answer what it returned, as JSON.";
}

// Asks the person about each call that needs it. Returns the facts for which the pass waits.
std::vector<std::string> ask_person(harness::PlanContext& context, const loop::AgentRun& run) {
  std::vector<std::string> waits;
  for (const Operation& operation : run.operations()) {
    if (!asks_person(operation)) continue;
    std::size_t round = 1;
    while (answer_to(context.view(), question_id(run.id(), operation, round)) != nullptr) ++round;
    const std::string qid = question_id(run.id(), operation, round);
    json::object question{{"qid", qid}, {"prompt", prompt_of(operation)}};
    if (operation.kind == OperationKind::Doubt) question["required"] = true;
    context.record("question/" + qid, {FactType::agent_question, std::move(question)});
    waits.push_back("user_answer/" + qid);
  }
  return waits;
}

// A text is a draft, and nothing is nothing.
json::value facts_in(const std::string& result) {
  json::value value = json::parse(result);
  if (!value.is_string()) return value;
  return json::object{{"type", "compose_intent"}, {"text", value.get_string()}};
}

}  // namespace

PlanOutput AgentPlanner::plan(harness::PlanContext& context) {
  const ConversationView& view = context.view();
  const std::uint64_t seq = view.facts().empty() ? 0 : view.facts().back().seq;
  loop::StoredAgentOptions options;
  options.start.id = run_id(conversation_, view.cursor());
  options.start.data_json = data_of(view);
  options.clock = [this] { return driver_.time_ms(); };
  HostLog log = HostLog::of(store_, options.start.id);
  const std::optional<std::uint64_t> known = known_seq(log);
  auto stored = take(loop::StoredAgent::open(agent_, store_, std::move(options)));
  if (!known) note_known(log, seq, driver_.time_ms());
  check(stored.advance());
  hand_in_answers(stored, view);
  const bool is_news = known && *known < seq && !context.resumes();
  if (is_news) {
    check(stored.input("The conversation went on while you were planning. New facts: " +
                       json::serialize(facts_after(view, *known)) + "\nReturn what should be proposed now."));
    note_known(log, seq, driver_.time_ms());
  }
  context.hud({"planning", "The agent plans", {}});
  check(loop::drive_stored(stored, driver_));
  if (const auto parked = stored.park(); !parked) check(parked.error());
  const loop::AgentRun& run = stored.run();
  if (run.state() != loop::AgentState::Ended) {
    std::vector<std::string> waits = ask_person(context, run);
    if (!waits.empty()) return PlanOutput::waiting(std::move(waits));
    std::string paths;
    for (const std::string& path : run.pending()) paths += (paths.empty() ? "" : ", ") + path;
    return PlanOutput::failed("the agent waits for " + paths + ", and the conversation cannot answer that");
  }
  const loop::AgentOutcome outcome = run.outcome();
  if (!outcome.is_ok) return PlanOutput::failed("the agent failed: " + outcome.reason + ": " + outcome.message);
  return harness::output_of(context, harness::read_proposals(facts_in(outcome.result_json)), "the agent");
}

}  // namespace ptcvm::planner
