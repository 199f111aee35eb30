#include "agents/harness/pass/harness.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "agents/harness/facts/json_members.h"
#include "agents/harness/pass/batch_rules.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::string_view kException = "PLANNER_EXCEPTION";

// The last planned position of each trigger that fired moves to it.
TriggerSeqs moved(TriggerSeqs planned, const TriggerSeqs& fired) {
  planned.status = std::max(planned.status, fired.status);
  planned.inbound = std::max(planned.inbound, fired.inbound);
  planned.outbound = std::max(planned.outbound, fired.outbound);
  planned.whisper = std::max(planned.whisper, fired.whisper);
  planned.answer = std::max(planned.answer, fired.answer);
  return planned;
}

[[noreturn]] void stop(const Error& error) { throw std::runtime_error(error.message); }

}  // namespace

Harness::Harness(Conversation& conversation, HarnessOptions options)
    : conversation_(conversation), options_(std::move(options)) {}

Harness::~Harness() {
  if (pass_) static_cast<void>(give_back());
}

void Harness::show(std::optional<Hud> hud) {
  if (hud_ == hud) return;
  hud_ = std::move(hud);
  if (options_.on_hud) options_.on_hud(hud_);
}

void Harness::hud(Hud hud) {
  const bool is_empty = hud.phase.empty() && hud.title.empty();
  show(is_empty ? std::nullopt : std::optional<Hud>(std::move(hud)));
}

Result<void> Harness::give_back() {
  const std::uint64_t token = pass_->token;
  pass_.reset();
  return conversation_.release(token);
}

Result<Verdict> Harness::begin(std::int64_t now_ms) {
  if (pass_) return Error{Errc::wrong_state, "a pass is in flight; finish it first", std::nullopt, {}};
  last_end_.reset();
  const auto token = conversation_.claim(now_ms, options_.lease_ms);
  if (!token) return token.error();
  if (!*token) {
    return Error{Errc::busy, "another process plans for this conversation now; try again", std::nullopt, {}};
  }
  is_wanted_ = false;
  Result<Verdict> verdict = act(**token, now_ms);
  if (verdict && *verdict == Verdict::Run) return verdict;
  const Result<void> released = conversation_.release(**token);
  if (verdict && !released) return released.error();
  return verdict;
}

// Writes down that deadlines of the parked pass are over. An answer that comes later is too late.
Result<void> Harness::fire_timers(std::int64_t now_ms) {
  std::vector<ProposedFact> fired;
  for (std::string& timer : conversation_.view().due_timers(now_ms)) {
    fired.push_back({FactType::timer_fired, {{"timer", std::move(timer)}}});
  }
  if (fired.empty()) return {};
  return conversation_.observe(std::move(fired), {now_ms, "clock"});
}

Result<Verdict> Harness::act(std::uint64_t token, std::int64_t now_ms) {
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  if (const Result<void> told = fire_timers(now_ms); !told) return told.error();
  const ConversationView& view = conversation_.view();
  decision_ = evaluate(view, view.cursor(), options_.rules);
  switch (decision_.verdict) {
    case Verdict::Idle: break;
    case Verdict::Freeze:
      show(Hud{"waiting", "Runaway guard",
               "There are " + std::to_string(view.counted()) + " facts, and planning stops at " +
                   std::to_string(options_.rules.most_facts)});
      break;
    case Verdict::Park:
      if (decision_.reason == ParkReason::Question) show(Hud{"waiting", "Awaiting answer to previous question", {}});
      break;
    case Verdict::Dismiss: {
      const Result<bool> done = conversation_.decide(
          token, view.log_seq(), {{FactType::compose_dismissed, {{"composeId", decision_.dismissed}}}}, std::nullopt,
          {now_ms, {}});
      if (!done) return done.error();
      last_end_ = *done ? PassEnd::Committed : PassEnd::Conflict;
      break;
    }
    case Verdict::Run:
      if (view.parked_pass() && !decision_.resumes) {
        const Result<void> noted = conversation_.note("pass_cancelled", "", {}, {now_ms, {}});
        if (!noted) return noted.error();
      }
      pass_ = Pass{token, view.log_seq(), 0, view.pass_seq(), view.cursor(), view.generation(),
                   !view.facts().empty() && view.facts().back().type == FactType::sleep, now_ms};
      break;
  }
  return decision_.verdict;
}

Result<PassEnd> Harness::park(const std::vector<std::string>& waits) {
  const Result<void> noted = conversation_.note(
      "pass_parked", "", {{"fired", seqs_json(decision_.fired)}, {"waits", array_of(waits)}}, {pass_->now_ms, {}});
  if (!noted) return noted.error();
  return PassEnd::Waiting;
}

PlanCursor Harness::consumed() const {
  PlanCursor cursor;
  cursor.generation = conversation_.view().generation();
  const bool same = pass_->cursor.generation == cursor.generation;
  cursor.planned = moved(same ? pass_->cursor.planned : TriggerSeqs{}, decision_.fired);
  return cursor;
}

Result<PassEnd> Harness::finish(Planner& planner, std::int64_t now_ms) {
  PlanOutput output;
  try {
    output = planner.plan(*this);
  } catch (const std::exception& error) {
    output = PlanOutput::failed(error.what());
  }
  return finish(std::move(output), now_ms);
}

Result<PassEnd> Harness::finish(PlanOutput output, std::int64_t now_ms) {
  if (!pass_) return Error{Errc::wrong_state, "no pass is in flight; begin one first", std::nullopt, {}};
  pass_->now_ms = now_ms;
  const Result<PassEnd> end = settle(std::move(output));
  const Result<void> released = give_back();
  show(std::nullopt);
  if (!end) return end;
  last_end_ = *end;
  if (!released) return released.error();
  return end;
}

Result<PassEnd> Harness::settle(PlanOutput output) {
  if (output.kind == PlanOutput::Kind::Waiting) return park(output.waits);
  if (output.kind == PlanOutput::Kind::Failed) {
    return record_failure(kException, std::move(output.error), std::move(output.fault));
  }
  std::vector<ProposedFact> facts = std::move(output.facts);
  for (ProposedFact& fact : facts) remove_stamp(fact.body);
  if (const auto refusal = refuse_batch(conversation_.view(), facts)) {
    return record_failure(refusal->code, refusal->message);
  }
  const bool is_second_sleep = facts.size() == 1 && facts.front().type == FactType::sleep && pass_->ends_with_sleep;
  if (facts.empty() || is_second_sleep || repeats_dismissed(facts)) return commit({}, true);
  const bool is_open = !has_end(facts);
  if (is_open) facts.push_back({FactType::sleep, {{"reason", "steps exhausted"}}});
  const Result<PassEnd> end = commit(std::move(facts), !is_open);
  if (is_open && end && *end == PassEnd::Committed) schedule();
  return end;
}

Result<PassEnd> Harness::commit(std::vector<ProposedFact> facts, bool consumes) {
  const bool writes = !facts.empty();
  std::optional<PlanCursor> cursor;
  if (consumes) cursor = consumed();
  const auto is_draft = [](const ProposedFact& fact) { return fact.type == FactType::compose_intent; };
  if (cursor && std::ranges::any_of(facts, is_draft)) cursor->planner = planner_;
  const Result<bool> done =
      conversation_.decide(pass_->token, pass_->cut, std::move(facts), cursor, {pass_->now_ms, {}});
  if (!done) return done.error();
  if (!*done) return PassEnd::Conflict;
  return writes ? PassEnd::Committed : PassEnd::Consumed;
}

Result<PassEnd> Harness::record_failure(std::string_view code, std::string message, json::object fault) {
  const std::uint64_t generation = conversation_.view().generation();
  PlanCursor cursor = pass_->cursor;
  cursor.planner = {};
  if (cursor.generation != generation) {
    cursor = {.generation = generation, .planned = {}, .failing = {}, .attempts = 0, .planner = {}};
  }
  if (cursor.failing != decision_.fired) cursor.attempts = 0;
  cursor.failing = decision_.fired;
  ++cursor.attempts;
  const std::uint32_t attempts = cursor.attempts;
  if (attempts >= kMostAttempts) cursor = consumed();
  json::object body{{"code", code}, {"message", std::move(message)}, {"stage", "decision"}, {"attempts", attempts}};
  if (!fault.empty()) body["fault"] = std::move(fault);
  const Result<bool> done = conversation_.decide(
      pass_->token, pass_->cut, {{FactType::planner_error, std::move(body)}}, cursor, {pass_->now_ms, {}});
  if (!done) return done.error();
  return *done ? PassEnd::Committed : PassEnd::Conflict;
}

bool Harness::repeats_dismissed(const std::vector<ProposedFact>& facts) const {
  if (!options_.refuses_repeated_drafts || facts.size() != 1) return false;
  if (facts.front().type != FactType::compose_intent) return false;
  const ConversationView& view = conversation_.view();
  return std::ranges::any_of(view.facts(), [&](const Fact& fact) {
    if (fact.type != FactType::compose_intent || fact.seq < view.boundary_seq()) return false;
    const DraftState* const draft = view.draft(text_of(fact.body, "composeId"));
    return draft != nullptr && draft->is_dismissed && text_of(fact.body, "text") == text_of(facts.front().body, "text");
  });
}

json::value Harness::task(std::string_view key, const Task& body) {
  const std::string name = "task/" + std::string(key);
  const auto value_of = [](const HostFact& fact) { return json::parse(fact.body).as_object().at("value"); };
  const Result<std::optional<HostFact>> known = conversation_.log().find(name);
  if (!known) stop(known.error());
  if (*known) return value_of(**known);
  const Result<HostPut> put =
      conversation_.effect(pass_->token, name, "task_committed", {{"value", body()}}, {pass_->now_ms, {}});
  if (!put) stop(put.error());
  return value_of(put->fact);
}

bool Harness::record(std::string_view key, const ProposedFact& fact) {
  if (auto why = wrong_body(fact)) throw std::runtime_error(*why);
  const Result<HostPut> put =
      conversation_.effect(pass_->token, "effect/" + std::string(key), std::string(fact_info(fact.type).name),
                           fact.body, {pass_->now_ms, {}});
  if (!put) stop(put.error());
  return put->is_mine;
}

void Harness::keep(std::string key, std::string_view name, const json::object& body) {
  const Result<HostPut> put =
      conversation_.effect(pass_->token, std::move(key), std::string(name), body, {pass_->now_ms, {}});
  if (!put) stop(put.error());
}

// A call that did not happen is made again, and is another fact. When the conversation was rewound before the fact, the
// pass is over, and the fact does not count: the call is not made.
void Harness::call_begins(const PlannerCall& call) {
  const PlannerCall* const known = view().calls().find(call.key);
  const std::uint32_t ends = known == nullptr ? 0 : known->ends;
  const std::uint64_t generation = pass_->generation;
  std::string key = "call/" + call.key + "/" + std::to_string(ends + 1);
  if (generation != 0) key += "/" + std::to_string(generation);   // an older pass may have its key without a call
  json::object body = begun_json(call);
  body["generation"] = generation;
  keep(std::move(key), kCallBegun, body);
  const PlannerCall* const begun = view().calls().find(call.key);
  const bool is_begun = begun != nullptr && begun->end == CallEnd::Open;
  if (!is_begun) throw std::runtime_error("the conversation was rewound, and " + call.tool + " is not called");
}

void Harness::call_ended(std::string_view key, CallEnd end, std::string_view outcome) {
  const PlannerCall* const known = view().calls().find(key);
  if (known == nullptr) return;
  keep("call_ended/" + std::string(key) + "/" + std::to_string(known->ends + 1), kCallEnded,
       ended_json(key, end, outcome));
}

std::string Harness::new_id(std::string_view prefix) {
  return std::string(prefix) + "-" + std::to_string(pass_->seq) + "-" + std::to_string(++pass_->ids);
}

}  // namespace ptcvm::harness
