#include "agents/planner/agent_planner.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agents/harness/pass/proposals.h"
#include "agents/harness/people/conversation_json.h"
#include "agents/loop/stored_facts.h"

namespace ptcvm::planner {

namespace json = boost::json;
using harness::CallEnd;
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

// Returns the id of the run: it stays the same until a pass consumes its triggers or the conversation is rewound. A run
// with a call that may have happened goes on until somebody has said what became of the call.
std::string run_of(const std::string& conversation, const ConversationView& view) {
  if (const harness::PlannerCall* const call = view.calls().open()) return call->run;
  const harness::PlanCursor& cursor = view.cursor();
  const bool is_current = cursor.generation == view.generation();
  const harness::TriggerSeqs planned = is_current ? cursor.planned : harness::TriggerSeqs{};
  std::string id = conversation + "/planner-" + std::to_string(view.generation());
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

bool asks_person(const Operation& operation) {
  return operation.kind == OperationKind::Approval || operation.kind == OperationKind::Doubt;
}

// A call that was in doubt, did not happen, and is in doubt again is another question. So is one that the other side
// forgot with everything else when it began another task.
std::string question_id(const ConversationView& view, const std::string& run, const Operation& operation,
                        std::size_t round) {
  const bool is_doubt = operation.kind == OperationKind::Doubt;
  const harness::PlannerCall* const call = is_doubt ? view.calls().find(call_key(run, operation.path)) : nullptr;
  const std::uint32_t times = call == nullptr ? 0 : call->ends;
  std::string path = operation.path + (times == 0 ? "" : "/again-" + std::to_string(times));
  if (is_doubt && view.epoch() != 0) path += "/task-" + std::to_string(view.epoch());
  return planner::question_id(run, path, round);
}

// A call in doubt did not happen, or it returned what the person says. What is no such answer is asked for again.
Result<void> settle_doubt(harness::PlanContext& context, loop::StoredAgent& stored, const std::string& path,
                          std::string_view text) {
  const std::string key = call_key(stored.run().id(), path);
  if (says_no(text)) {
    context.call_ended(key, CallEnd::NotMade, text);   // first: this answer counts once, also when the process dies now
    return stored.reject(path, text);
  }
  if (const std::string wrong = wrong_result(text); !wrong.empty()) {
    return Error{Errc::invalid_value, "the answer " + wrong, std::nullopt, {}};
  }
  const Value answer = Value::from_json(text).value();
  const Result<void> said = stored.resolve(path, answer);
  if (said) context.call_ended(key, CallEnd::Returned, answer.to_json());
  return said;
}

Result<void> hand_in(harness::PlanContext& context, loop::StoredAgent& stored, const Operation& operation,
                     std::string_view text) {
  if (operation.kind == OperationKind::Doubt) return settle_doubt(context, stored, operation.path, text);
  if (says_yes(text)) return stored.resolve(operation.path, Value::of(true));
  return stored.reject(operation.path, text);
}

// Gives the run what people have answered in the conversation. A value that does not fit the tool is asked for again.
void hand_in_answers(harness::PlanContext& context, loop::StoredAgent& stored) {
  take(stored.step());
  for (const Operation& operation : stored.run().operations()) {
    if (!asks_person(operation)) continue;
    for (std::size_t round = 1;; ++round) {
      const std::string qid = question_id(context.view(), stored.run().id(), operation, round);
      const Fact* const answer = answer_to(context.view(), qid);
      if (answer == nullptr) break;
      const std::string text(harness::text_of(answer->body, "text"));   // the view grows meanwhile
      const Result<void> taken = hand_in(context, stored, operation, text);
      if (taken) break;
      if (taken.error().code != Errc::invalid_value) check(taken);
    }
  }
}

// Brings together what the conversation and the run know of calls: a process may have died between the two.
void settle_known_calls(harness::PlanContext& context, loop::StoredAgent& stored) {
  const std::string& run = stored.run().id();
  for (const Operation& operation : stored.run().operations()) {
    if (operation.kind != OperationKind::Doubt) continue;
    const std::string key = call_key(run, operation.path);
    const harness::PlannerCall* const known = context.view().calls().find(key);
    const bool is_open = known != nullptr && (known->end == CallEnd::Open || known->end == CallEnd::Returned);
    if (!is_open) {
      context.call_begins({.key = key, .run = run, .tool = operation.tool, .args_json = operation.args_json});
    }
    if (!is_open || known->end != CallEnd::Returned) continue;
    const auto value = Value::from_json(known->outcome);
    if (value) static_cast<void>(stored.resolve(operation.path, *value));   // what does not fit is asked for
  }
}

// What the log of a run says of a call: the last answer counts.
struct LoggedEnd {
  CallEnd end = CallEnd::Open;
  std::string outcome;
};

LoggedEnd logged_end(const HostLog& log, const std::string& run, const std::string& key) {
  LoggedEnd found;
  constexpr std::size_t kPage = 1'000;
  for (std::uint64_t seen = 0;;) {
    const auto facts = take(log.read(seen, kPage));
    for (const HostFact& fact : facts) {
      seen = fact.seq;
      const bool is_value = fact.name == loop::kResolved;
      if (!is_value && fact.name != loop::kRejected) continue;
      const json::value body = json::parse(fact.body);
      const std::string path(harness::text_of(body.as_object(), "path"));
      if (call_key(run, path) != key) continue;
      std::string text(harness::text_of(body.as_object(), "text"));
      const auto value = is_value ? Value::from_edn(text) : Result<Value>(Value());
      const bool is_doubt = path.substr(path.rfind('/') + 1).starts_with("doubt:");
      found.end = is_value ? CallEnd::Returned : is_doubt ? CallEnd::NotMade : CallEnd::Failed;
      found.outcome = is_value && value ? value->to_json() : std::move(text);
    }
    if (facts.size() < kPage) return found;
  }
}

// Takes over from the log of the run how calls ended, when nobody told the conversation.
void take_logged_ends(harness::PlanContext& context, const HostLog& log, const loop::AgentRun& run) {
  const harness::PlannerCall* const call = context.view().calls().open();
  if (call == nullptr || call->run != run.id()) return;
  const auto operations = run.operations();
  const bool is_under_way = std::ranges::any_of(operations, [&](const Operation& operation) {
    return !operation.tool.empty() && call_key(run.id(), operation.path) == call->key;
  });
  if (is_under_way) return;
  const std::string key = call->key;
  const LoggedEnd end = logged_end(log, run.id(), key);
  context.call_ended(key, end.end == CallEnd::Open ? CallEnd::NotMade : end.end, end.outcome);
}

// `last` is the last answer, which did not do, if there is one.
std::string prompt_of(const KeptCalls& calls, const Operation& operation,
                      const std::optional<std::string>& last) {
  if (operation.kind == OperationKind::Approval) {
    return calls.earlier_calls(operation) + "May " + operation.tool + " be called with " + operation.args_json + "?";
  }
  std::string again;
  if (last) {
    const std::string wrong = wrong_result(*last);
    again = "The last answer " + (wrong.empty() ? "is not what the tool returns" : wrong) + ". ";
  }
  return again + "Nobody knows whether " + operation.tool + " was called with " + operation.args_json +
         ". Answer no when it was not, and it is called; or answer what it returned, as JSON (a text in quotation "
         "marks).";
}

bool is_asked(const ConversationView& view, std::string_view qid) {
  return std::ranges::any_of(view.facts(), [qid](const Fact& fact) {
    return fact.type == FactType::agent_question && harness::text_of(fact.body, "qid") == qid;
  });
}

// Asks the person about each call that needs it. Returns the facts for which the pass waits.
std::vector<std::string> ask_person(harness::PlanContext& context, const KeptCalls& calls, const loop::AgentRun& run) {
  std::vector<std::string> waits;
  for (const Operation& operation : run.operations()) {
    if (!asks_person(operation)) continue;
    std::optional<std::string> last;
    for (std::size_t round = 1;; ++round) {
      const std::string qid = question_id(context.view(), run.id(), operation, round);
      if (const Fact* const answer = answer_to(context.view(), qid)) {
        last = harness::text_of(answer->body, "text");
        continue;
      }
      json::object question{{"qid", qid}, {"prompt", prompt_of(calls, operation, last)}};
      if (operation.kind == OperationKind::Doubt) {
        question["required"] = true;
        question["call"] = call_key(run.id(), operation.path);
      } else {
        question["run"] = run.id();
      }
      const bool is_new = context.record("question/" + qid, {FactType::agent_question, std::move(question)});
      if (!is_new && !is_asked(context.view(), qid)) continue;   // a rewind dropped it
      waits.push_back("user_answer/" + qid);
      break;
    }
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

Result<std::unique_ptr<AgentPlanner>> AgentPlanner::make(const Engine& engine, loop::AgentDefinition definition,
                                                         loop::AgentOptions options, Store store,
                                                         std::string conversation, loop::AgentDriver& driver) {
  auto calls = std::make_shared<KeptCalls>(driver);
  options.hooks.before_tool = [calls, before = std::move(options.hooks.before_tool)](
                                  std::string_view path, const loop::AgentTool& tool, ToolCall& call) {
    HookVerdict verdict = calls->judge(tool, call);
    if (verdict.kind == HookVerdict::Kind::Allow && before) return before(path, tool, call);
    return verdict;
  };
  auto agent = loop::Agent::make(engine, std::move(definition), std::move(options));
  if (!agent) return agent.error();
  return std::unique_ptr<AgentPlanner>(
      new AgentPlanner(std::move(calls), *std::move(agent), std::move(store), std::move(conversation)));
}

PlanOutput AgentPlanner::plan(harness::PlanContext& context) {
  std::string run = run_of(conversation_, context.view());
  calls_->enter(context, run);
  struct Leaving {
    KeptCalls& calls;
    ~Leaving() { calls.leave(); }
  } const leaving{*calls_};
  return plan_run(context, std::move(run));
}

PlanOutput AgentPlanner::plan_run(harness::PlanContext& context, std::string id) {
  const ConversationView& view = context.view();
  const std::uint64_t seq = view.facts().empty() ? 0 : view.facts().back().seq;
  loop::StoredAgentOptions options;
  options.start.id = std::move(id);
  options.start.data_json = data_of(view);
  options.start.rules = loop::kToldRules;   // it is told facts, and the harness says when to plan
  options.clock = [this] { return calls_->time_ms(); };
  HostLog log = HostLog::of(store_, options.start.id);
  const std::optional<std::uint64_t> known = known_seq(log);
  auto stored = take(loop::StoredAgent::open(agent_, store_, std::move(options)));
  if (!known) note_known(log, seq, calls_->time_ms());
  check(stored.advance());
  settle_known_calls(context, stored);
  hand_in_answers(context, stored);
  const bool is_news = known && *known < seq && !context.resumes();
  if (is_news) {
    check(stored.input("The conversation went on while you were planning. New facts: " +
                       json::serialize(facts_after(view, *known)) + "\nReturn what should be proposed now."));
    note_known(log, seq, calls_->time_ms());
  }
  context.hud({"planning", "The agent plans", {}});
  check(drive(stored));
  take_logged_ends(context, log, stored.run());
  if (const auto parked = stored.park(); !parked) check(parked.error());
  const loop::AgentRun& run = stored.run();
  if (run.state() != loop::AgentState::Ended) {
    std::vector<std::string> waits = ask_person(context, *calls_, run);
    if (!waits.empty()) return PlanOutput::waiting(std::move(waits));
    std::string paths;
    for (const std::string& path : run.pending()) paths += (paths.empty() ? "" : ", ") + path;
    return PlanOutput::failed("the agent waits for " + paths + ", and the conversation cannot answer that");
  }
  const loop::AgentOutcome outcome = run.outcome();
  if (!outcome.is_ok) return PlanOutput::failed("the agent failed: " + outcome.reason + ": " + outcome.message);
  return harness::output_of(context, harness::read_proposals(facts_in(outcome.result_json)), "the agent");
}

// A call that a person allowed for a proposal that was dropped needs no second yes.
Result<void> AgentPlanner::drive(loop::StoredAgent& stored) {
  for (;;) {
    if (auto driven = loop::drive_stored(stored, *calls_); !driven) return driven;
    bool is_any = false;
    for (const Operation& operation : stored.run().operations()) {
      if (operation.kind != OperationKind::Approval || !calls_->is_known(operation)) continue;
      if (auto allowed = stored.resolve(operation.path, Value::of(true)); !allowed) return allowed;
      is_any = true;
    }
    if (!is_any) return {};
  }
}

}  // namespace ptcvm::planner
