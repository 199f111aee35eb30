#include "agents/loop/stored_agent.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/loop/agent_impl.h"
#include "agents/loop/document_text.h"
#include "agents/loop/letters.h"
#include "agents/loop/stored_facts.h"
#include "agents/loop/stored_intents.h"
#include "ptcvm/effects.hpp"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

Error stored_error(Errc code, std::string message) { return {code, std::move(message), std::nullopt, {}}; }

}  // namespace

std::int64_t StoredAgent::now() const { return options_.clock ? options_.clock() : options_.start.time_ms; }

void StoredAgent::reach(StoredPoint point) const {
  if (options_.at_point) options_.at_point(point);
}

HostFact StoredAgent::fact(HostFactClass fact_class, std::string name, std::string key, std::string body) const {
  HostFact made;
  made.fact_class = fact_class;
  made.name = std::move(name);
  made.key = std::move(key);
  made.body = std::move(body);
  mend_text(made.body);   // tools and servers may say anything, and stores take UTF-8
  made.time_ms = now();
  return made;
}

Result<StoredAgent> StoredAgent::open(const Agent& agent, const Store& store, StoredAgentOptions options) {
  HostLog log = HostLog::of(store, options.start.id);
  StoredAgent stored(std::move(log), std::move(options));
  const auto claim = stored.log_.claim(stored.options_.owner, stored.now(), stored.options_.lease_ms);
  if (!claim) return claim.error();
  if (!claim->is_granted) {
    return stored_error(Errc::busy, "the run " + stored.log_.id() + " is executed by " + claim->owner);
  }
  stored.token_ = claim->token;
  if (auto loaded = stored.load(agent); !loaded) return loaded.error();
  if (auto settled = stored.settle_lost_orders(); !settled) return settled.error();
  return stored;
}

Result<std::optional<std::string>> StoredAgent::stored_definition(const Store& store, const std::string& id) {
  const auto started = HostLog::of(store, id).find(std::string(kStarted));
  if (!started) return started.error();
  if (!*started) return std::optional<std::string>();
  const auto body = read_start((*started)->body);
  if (!body) return body.error();
  return std::optional<std::string>(body->agent);
}

Result<void> StoredAgent::load(const Agent& agent) {
  agent_ = agent;
  run_.reset();
  const auto started = log_.find(std::string(kStarted));
  if (!started) return started.error();
  if (!*started) return begin(agent);
  const auto body = read_start((*started)->body);
  if (!body) return body.error();
  if (body->agent != agent.impl().definition_text) {
    return stored_error(Errc::refused, "the run " + log_.id() + " belongs to another definition of the agent; " +
                                           changes_between(body->agent, agent.impl().definition_text));
  }
  const auto parked = log_.parked();
  if (!parked) return parked.error();
  if (*parked && !(*parked)->snapshot.empty()) {
    auto restored = AgentRun::restore(agent, (*parked)->snapshot);
    const bool is_end_lost = !restored && restored.error().detail == kEndIsLost;
    if (!restored && !is_end_lost) return restored.error();
    if (restored) run_.emplace(std::move(*restored));
    seen_ = (*parked)->observed_seq;
  }
  if (run_) {
    if (auto recalled = recall_intents(); !recalled) return recalled;
  } else {
    auto made = run_from_start(agent_at((*started)->seq), *body);
    if (!made) return made.error();
    run_.emplace(std::move(*made));
    seen_ = (*started)->seq;
    if (auto heard = hear_early_mail(seen_); !heard) return heard;
  }
  if (*parked && (*parked)->continuation == kSession) idle_until_ = (*parked)->deadline_ms;
  is_closed_ = is_closed_ || (*parked && (*parked)->continuation == kClosing);
  recorded_turns_ = run_->usage().turns;
  if (*parked) {
    if (auto resumed = log_.resumed(HostCut::blind(token_), {}); !resumed) return resumed.error();
  }
  return catch_up();
}

Result<void> StoredAgent::begin(const Agent& agent) {
  StartBody body;
  body.agent = agent.impl().definition_text;
  body.start = options_.start;
  body.start.time_ms = now();
  auto made = AgentRun::start(agent, body.start);
  if (!made) return made.error();
  run_.emplace(std::move(*made));
  HostFact started = fact(HostFactClass::Effect, std::string(kStarted), std::string(kStarted), write_start(body));
  const auto written = log_.put({token_, 0}, {&started, 1});
  if (!written) return written.error();
  seen_ = written->head;
  return hear_early_mail(seen_);
}

Result<void> StoredAgent::restore(const Agent& agent, std::span<const std::byte> document) {
  auto restored = AgentRun::restore(agent, document);
  if (!restored) return restored.error();
  run_.emplace(std::move(*restored));
  return {};
}

Result<void> StoredAgent::fork(const Store& store, std::uint32_t turns, const std::string& id) const {
  const auto forked = run_->fork(turns, id, now());
  if (!forked) return forked.error();
  HostLog log = HostLog::of(store, id);
  const auto head = log.head();
  if (!head) return head.error();
  if (*head != 0) return stored_error(Errc::refused, "the store has a run " + id + " already");
  StartBody body;
  body.agent = agent_->impl().definition_text;
  body.start.id = id;
  body.start.time_ms = now();
  body.document = forked->snapshot_json();
  const auto claim = log.claim(options_.owner, now(), options_.lease_ms);
  if (!claim) return claim.error();
  if (!claim->is_granted) return stored_error(Errc::busy, "the run " + id + " is begun by " + claim->owner);
  HostFact started = fact(HostFactClass::Effect, std::string(kStarted), std::string(kStarted), write_start(body));
  const auto written = log.put({claim->token, 0}, {&started, 1});
  if (!written) return written.error();
  if (auto released = log.release(claim->token); !released) return released.error();
  return {};
}

// Finds out what was under way when a process died.
bool StoredAgent::is_in_doubt_without_answer(const Operation& call) const {
  Effect effect = call.definition == nullptr ? Effect::Pure : call.definition->effect;
  if (options_.effect_of) effect = options_.effect_of(call.tool).value_or(effect);
  return !is_called_again(effect);
}

Result<void> StoredAgent::settle_lost_orders() {
  for (const Operation& order : run_->operations()) {
    if (!is_order(order) || !intents_.contains(intent_key(order))) continue;
    const bool is_model = order.kind == OperationKind::Model;
    const bool is_kept = options_.keeps_requests && options_.keeps_requests(order.agent);
    if (is_model ? is_kept : !is_in_doubt_without_answer(order)) continue;
    HostFact lost = fact(HostFactClass::Effect, std::string(is_model ? kModelLost : kToolInDoubt), {},
                         write_answer({order.path, {}, {}}));
    if (auto recorded = record(std::move(lost), StoredPoint::AnswerRecorded); !recorded) return recorded.error();
  }
  return {};
}

// Does it first and writes it then: what the run refuses is not recorded. When somebody else wrote meanwhile, the log
// has another order than this run, so the run is made again from the log.
Result<void> StoredAgent::record(HostFact fact, StoredPoint point) {
  const std::int64_t before_ms = run_->time_ms();
  if (auto applied = apply(fact); !applied) return run_->turn_back(before_ms), applied;
  const auto written = log_.put({token_, seen_}, {&fact, 1});
  if (!written) return written.error();
  reach(point);
  if (written->others.empty()) {
    seen_ = written->head;
    return {};
  }
  return load(Agent(*agent_));
}

Result<AgentState> StoredAgent::step() {
  run_->step();
  std::vector<HostFact> facts;
  if (const auto said = run_->take_verdicts(); !said.empty()) {
    facts.push_back(fact(HostFactClass::Effect, std::string(kHooksSaid), {}, write_verdicts(said)));
  }
  const std::uint32_t turns = run_->usage().turns;
  if (turns > recorded_turns_) {
    reach(StoredPoint::TurnEnded);
    for (std::uint32_t turn = recorded_turns_ + 1; turn <= turns; ++turn) {
      facts.push_back(fact(HostFactClass::Effect, std::string(kTurnTaken), {}, write_turn(*run_, turn)));
    }
    recorded_turns_ = turns;
  }
  bool has_orders = false;
  for (const Operation& order : run_->operations()) {
    if (!is_order(order)) continue;
    if (!intents_.insert(intent_key(order)).second) continue;
    auto key = new_intent_key(order, log_, intents_);
    if (!key) return key.error();
    facts.push_back(fact(HostFactClass::Effect, std::string(kIntent), *std::move(key), intent_body(order)));
    has_orders = true;
  }
  if (!facts.empty()) {
    const auto written = log_.put({token_, seen_}, facts);
    if (!written) return written.error();
    if (written->others.empty()) {
      seen_ = written->head;
    } else if (auto loaded = catch_up(); !loaded) {
      return loaded.error();
    }
  }
  if (has_orders) reach(StoredPoint::OrdersRecorded);
  return run_->state();
}

std::vector<Operation> StoredAgent::take_orders() {
  std::vector<Operation> orders;
  for (Operation& order : run_->operations()) {
    if (!is_order(order) || !taken_.insert(intent_key(order)).second) continue;
    at_work_.insert(order.path);
    orders.push_back(std::move(order));
  }
  return orders;
}

void StoredAgent::chunk(std::string_view path, std::string_view bytes) { run_->chunk(path, bytes); }

// Records the answer of an order. The run may have given up the order in the meantime: then nothing happens.
Result<void> StoredAgent::record_answer(std::string_view path, HostFact fact, StoredPoint point) {
  auto recorded = record(std::move(fact), point);
  const auto order = at_work_.find(path);
  if (order == at_work_.end()) return recorded;
  const bool is_given_up = !recorded && recorded.error().code == Errc::unknown_operation;
  if (recorded || is_given_up) at_work_.erase(order);
  return is_given_up ? Result<void>() : recorded;
}

Result<void> StoredAgent::resolve_model(std::string_view path, const ModelReply& reply) {
  const ModelChoice choice = run_->model_of(path).value_or(ModelChoice());
  ModelReply priced = reply;
  price(priced, choice, agent_->impl().options.prices);
  return record_answer(path,
                       fact(HostFactClass::Effect, std::string(kModelSettled), {}, write_reply(path, priced, choice)),
                       StoredPoint::ReplyRecorded);
}

Result<void> StoredAgent::defer_model(std::string_view path, std::int64_t due_ms) {
  return record_answer(path,
                       fact(HostFactClass::Effect, std::string(kModelDeferred), {},
                            write_answer({std::string(path), {}, std::to_string(due_ms)})),
                       StoredPoint::AnswerRecorded);
}

// Returns the path of the doubt that another process has about a call of this one when it takes the run over; nullopt:
// the call may be made again.
std::optional<std::string> StoredAgent::doubt_of(std::string_view path) const {
  for (const Operation& order : run_->operations()) {
    if (order.path != path || order.kind != OperationKind::Tool || !is_in_doubt_without_answer(order)) continue;
    return run_->doubt_path(path);
  }
  return std::nullopt;
}

// The answer of a call that returns after the run was taken over settles the doubt about the call.
Result<void> StoredAgent::resolve(std::string_view path, ValueView value) {
  const auto doubt = doubt_of(path);
  const std::string text = value.to_edn();
  const auto answered = [&](std::string_view of) {
    return fact(HostFactClass::Observation, std::string(kResolved), {}, write_answer({std::string(of), {}, text}));
  };
  auto recorded = record_answer(path, answered(path), StoredPoint::AnswerRecorded);
  if (recorded || !doubt || recorded.error().detail != "store_fenced") return recorded;
  static_cast<void>(put_letter(log_, answered(*doubt)));   // without it, a person says what became of the call
  return recorded;
}

Result<void> StoredAgent::reject(std::string_view path, std::string_view why) {
  return record_answer(path,
                       fact(HostFactClass::Observation, std::string(kRejected), {},
                            write_answer({std::string(path), {}, std::string(why)})),
                       StoredPoint::AnswerRecorded);
}

Result<void> StoredAgent::pend(std::string_view path) {
  return record_answer(path,
                       fact(HostFactClass::Effect, std::string(kPended), {}, write_answer({std::string(path), {}, {}})),
                       StoredPoint::AnswerRecorded);
}

Result<void> StoredAgent::doubt(std::string_view path) {
  return record_answer(
      path, fact(HostFactClass::Effect, std::string(kToolInDoubt), {}, write_answer({std::string(path), {}, {}})),
      StoredPoint::AnswerRecorded);
}

Result<void> StoredAgent::begin_call(std::string_view path) {
  return record(fact(HostFactClass::Effect, std::string(kCallBegun), {}, write_answer({std::string(path), {}, {}})),
                StoredPoint::OrdersRecorded);
}

Result<void> StoredAgent::input(std::string_view text) {
  return record(fact(HostFactClass::Observation, std::string(kInputGiven), {},
                     write_answer({{}, {}, std::string(text)})),
                StoredPoint::AnswerRecorded);
}

Result<void> StoredAgent::raise(std::string_view limit, std::uint64_t by) {
  return record(fact(HostFactClass::Observation, std::string(kBudgetRaised), {},
                     write_answer({std::string(limit), {}, std::to_string(by)})),
                StoredPoint::AnswerRecorded);
}

Result<void> StoredAgent::lower(std::string_view limit, std::uint64_t most) {
  if (const auto now = run_->limit(limit); now && *now <= most) return {};
  return record(fact(HostFactClass::Observation, std::string(kBudgetLowered), {},
                     write_answer({std::string(limit), {}, std::to_string(most)})),
                StoredPoint::AnswerRecorded);
}

Result<void> StoredAgent::advance() {
  return record(fact(HostFactClass::Effect, std::string(kTimePassed), {}, "{}"), StoredPoint::AnswerRecorded);
}

}  // namespace ptcvm::loop
