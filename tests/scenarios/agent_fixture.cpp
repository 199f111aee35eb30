#include "tests/scenarios/agent_fixture.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/replay/request_text.h"
#include "ptcvm/json.hpp"

namespace ptcvm::scenarios {

namespace json = boost::json;

AgentFixture::AgentFixture(const json::object& scenario, const ScenarioStore& store, std::string id, bool is_straight)
    : scenario_(scenario), store_(store), id_(std::move(id)), is_straight_(is_straight) {}
AgentFixture::~AgentFixture() = default;

Why AgentFixture::play() {
  auto definition = loop::read_agent(scenario_.at("agent"));
  if (!definition) return definition.error().message;
  loop::AgentOptions options;
  options.model.name = "scripted";
  options.model.provider = "scripted";
  options.model.is_stream = true;
  auto agent = loop::Agent::make(engine_, std::move(*definition), std::move(options));
  if (!agent) return agent.error().message;
  agent_ = std::move(*agent);
  const json::value* const lines = scenario_.if_contains("model");
  auto model = replay::ScriptedModel::read(lines == nullptr ? json::array() : lines->as_array());
  if (const auto* const failure = std::get_if<replay::ReplayFailure>(&model)) return failure->message;
  model_ = std::get<replay::ScriptedModel>(std::move(model));
  if (auto why = open()) return why;
  const json::value* const steps = scenario_.if_contains("when");
  for (const json::value& one : steps == nullptr ? json::array{"run"} : steps->as_array()) {
    if (auto why = step(one)) return why;
  }
  return std::nullopt;
}

Why AgentFixture::open() {
  process_.reset();
  handle_ = std::make_unique<Store>(store_.open());
  loop::StoredAgentOptions options;
  options.start.id = id_;
  if (const json::value* const data = scenario_.if_contains("data")) options.start.data_json = json::serialize(*data);
  if (const json::value* const journal = scenario_.if_contains("journal")) {
    options.start.journal_json = json::serialize(*journal);
  }
  options.clock = [this] { return time_ms_; };
  options.at_point = [this](loop::StoredPoint point) {
    const bool dies = (point == loop::StoredPoint::ReplyRecorded && strikes("after_reply")) ||
                      (point == loop::StoredPoint::AnswerRecorded && dying_kind_ == "tool" && strikes("after_tool")) ||
                      (point == loop::StoredPoint::TurnEnded && strikes("before_turn"));
    if (dies) throw Death();
  };
  auto opened = loop::StoredAgent::open(*agent_, *handle_, std::move(options));
  if (!opened) return opened.error().message;
  process_.emplace(std::move(*opened));
  return std::nullopt;
}

bool AgentFixture::strikes(std::string_view boundary) {
  if (kills_.empty() || kills_.front() != boundary) return false;
  kills_.pop_front();
  return true;
}

template <class F>
Why AgentFixture::survive(F&& deed) {
  try {
    return deed();
  } catch (const Death&) {
    for (const Reply& lost : on_their_way_) model_->give_back(lost.line);
    on_their_way_.clear();
    return open();
  }
}

Why AgentFixture::step(const json::value& step) {
  if (step.is_string()) {
    if (step.as_string() == "run") return go_on();
    if (step.as_string() == "hop") return is_straight_ ? std::nullopt : hop();
    return "unknown step: " + json::serialize(step);
  }
  for (const auto& [verb, what] : step.as_object()) {
    if (auto why = act(verb, what)) return why;
  }
  return std::nullopt;
}

Why AgentFixture::told(const Result<void>& result) {
  if (result) return std::nullopt;
  const Error error = result.error();
  if (error.code == Errc::store_failed) return error.message;
  refusal_ = Refusal{errc_name(error.code), error.message};
  return std::nullopt;
}

Why AgentFixture::act(std::string_view verb, const json::value& what) {
  if (verb == "kill") {
    static constexpr std::string_view kBoundaries[] = {"before_send", "awaiting",   "after_reply",
                                                       "in_tool",     "after_tool", "before_turn"};
    if (std::find(std::begin(kBoundaries), std::end(kBoundaries), text(what)) == std::end(kBoundaries)) {
      return "unknown boundary: " + text(what);
    }
    if (!is_straight_) kills_.push_back(text(what));
    return std::nullopt;
  }
  if (verb == "advance_ms") return advance(what.to_number<std::int64_t>());
  if (verb == "fork") return fork(what.to_number<std::uint32_t>());
  refusal_.reset();
  Why why = survive([&]() -> Why {
    if (verb == "say") return told(process_->input(text(what)));
    for (const auto& [name, value] : what.as_object()) {
      dying_kind_ = "tool";
      Why told_why;
      if (verb == "resolve") {
        told_why = told(process_->resolve(std::string_view(name), Value::of(value)));
      } else if (verb == "reject") {
        told_why = told(process_->reject(std::string_view(name), text(value)));
      } else if (verb == "raise") {
        dying_kind_.clear();
        told_why = told(process_->raise(std::string_view(name), value.to_number<std::uint64_t>()));
      } else {
        return "unknown step: " + std::string(verb);
      }
      dying_kind_.clear();
      if (told_why) return told_why;
    }
    return std::nullopt;
  });
  dying_kind_.clear();
  if (why) return why;
  return go_on();
}

Why AgentFixture::go_on() {
  for (;;) {
    bool is_done = false;
    const Why why = survive([&]() -> Why {
      auto found = drive();
      is_done = true;
      return found;
    });
    if (why || is_done) return why;
  }
}

void AgentFixture::count_turns() {
  const std::uint32_t turns = process_->run().usage().turns;
  calls_at_turn_.try_emplace(turns, calls_);
  model_calls_at_turn_.try_emplace(turns, sent_);
}

// Does what the run asks for, until nothing is left to do at this time.
Why AgentFixture::drive() {
  for (;;) {
    const auto state = process_->step();
    if (!state) return state.error().message;
    count_turns();
    const std::vector<loop::Operation> orders = process_->take_orders();
    if (orders.empty()) return std::nullopt;
    for (const loop::Operation& order : orders) {
      if (auto why = do_order(order)) return why;
    }
  }
}

Why AgentFixture::do_order(const loop::Operation& order) {
  if (order.kind == loop::OperationKind::Model) return ask(order);
  return call(order);
}

Why AgentFixture::ask(const loop::Operation& order) {
  if (strikes("before_send")) throw Death();
  if (!first_request_) {
    const auto read = replay::RequestText::read(order.model.protocol, order.body);
    first_request_ = read ? read->whole() : std::string();
  }
  const loop::ModelChoice& model = order.model;
  auto answered = model_->answer({order.agent, model.protocol, model.is_stream, order.body, order.callable});
  if (const auto* const failure = std::get_if<replay::ReplayFailure>(&answered)) return failure->message;
  auto& answer = std::get<replay::ScriptedAnswer>(answered);
  ++sent_;
  if (strikes("awaiting")) {
    model_->give_back(answer.line);
    throw Death();
  }
  loop::ModelReply reply{answer.http.status, answer.http.headers, answer.http.body, !answer.http.ends_properly};
  if (answer.delay_ms > 0) {
    on_their_way_.push_back({time_ms_ + answer.delay_ms, order.path, std::move(reply), answer.line});
    return std::nullopt;
  }
  const auto taken = process_->resolve_model(order.path, reply);
  if (!taken) return taken.error().message;
  return std::nullopt;
}

Why AgentFixture::call(const loop::Operation& order) {
  if (order.is_left) {
    const auto given_up = process_->reject(order.path, loop::kNotBegun);
    return given_up ? std::nullopt : Why(given_up.error().message);
  }
  const json::value* const tools = scenario_.if_contains("tools");
  const json::value* const outcomes = tools == nullptr ? nullptr : tools->as_object().if_contains(order.tool);
  if (outcomes == nullptr || outcomes->as_array().empty()) return "the case has no outcome for the tool " + order.tool;
  ++calls_[order.tool];
  const auto index = outcome_of_.try_emplace(order.path, next_outcome_[order.tool]);
  if (index.second) ++next_outcome_[order.tool];
  if (strikes("in_tool")) throw Death();
  const json::array& all = outcomes->as_array();
  const json::object& outcome = all[std::min(index.first->second, all.size() - 1)].as_object();
  if (auto why = only(outcome, {"ok", "err", "pending"})) return why;
  dying_kind_ = "tool";
  Result<void> result;
  if (const json::value* const ok = outcome.if_contains("ok")) {
    result = process_->resolve(order.path, Value::of(*ok));
  } else if (const json::value* const error = outcome.if_contains("err")) {
    result = process_->reject(order.path, text(*error));
  } else {
    result = process_->pend(order.path);
  }
  dying_kind_.clear();
  if (!result) return result.error().message;
  return std::nullopt;
}

// Lets time pass from one moment at which something is due to the next.
Why AgentFixture::advance(std::int64_t by_ms) {
  const std::int64_t end = time_ms_ + by_ms;
  for (;;) {
    std::int64_t next = end;
    for (const Reply& reply : on_their_way_) next = std::min(next, reply.at_ms);
    for (const loop::Operation& operation : process_->run().operations()) {
      if (operation.due_ms > time_ms_) next = std::min(next, operation.due_ms);
    }
    time_ms_ = std::max(time_ms_, next);
    const Why why = survive([&]() -> Why {
      if (auto passed = process_->advance(); !passed) return passed.error().message;
      while (!on_their_way_.empty()) {
        const auto due = std::find_if(on_their_way_.begin(), on_their_way_.end(),
                                      [&](const Reply& reply) { return reply.at_ms <= time_ms_; });
        if (due == on_their_way_.end()) break;
        const Reply reply = std::move(*due);
        on_their_way_.erase(due);
        if (auto taken = process_->resolve_model(reply.path, reply.reply); !taken) return taken.error().message;
      }
      return std::nullopt;
    });
    if (why) return why;
    if (auto stopped = go_on()) return stopped;
    if (time_ms_ >= end) return std::nullopt;
  }
}

// Takes the run to another process: by the document, and through the store.
Why AgentFixture::hop() {
  const bool is_json = hops_++ % 2 == 0;
  const auto bytes = process_->run().snapshot();
  const std::string text = process_->run().snapshot_json();
  const auto from_bytes = loop::AgentRun::restore(*agent_, bytes);
  const auto from_text = loop::AgentRun::restore(*agent_, std::as_bytes(std::span(text)));
  if (!from_bytes) return "the document: " + from_bytes.error().message;
  if (!from_text) return "the document as JSON: " + from_text.error().message;
  const auto again = from_bytes->snapshot();
  if (again != from_text->snapshot()) return Why("the two faces of the document differ");
  const std::span<const std::byte> taken = is_json ? std::as_bytes(std::span(text)) : std::span<const std::byte>(again);
  if (auto restored = process_->restore(*agent_, taken); !restored) return restored.error().message;
  if (!on_their_way_.empty()) return std::nullopt;
  if (auto parked = process_->park(); !parked) return parked.error().message;
  return open();
}

Why AgentFixture::fork(std::uint32_t turn) {
  const std::string id = id_ + "-fork-" + std::to_string(turn);
  if (auto forked = process_->fork(*handle_, turn, id); !forked) return told(forked);
  id_ = id;
  calls_ = calls_at_turn_[turn];
  sent_ = model_calls_at_turn_[turn];
  on_their_way_.clear();
  if (auto why = open()) return why;
  return go_on();
}

json::object AgentFixture::essence() const {
  const loop::AgentRun& run = process_->run();
  const loop::AgentOutcome outcome = run.outcome();
  json::object journal;
  for (const auto& [id, value] : run.journal()) journal[id] = value;
  return {{"state", run.state() == loop::AgentState::Ended ? (outcome.is_ok ? "ok" : "error") : "suspended"},
          {"return", outcome.result_json},
          {"reason", outcome.reason},
          {"journal", std::move(journal)},
          {"fuel", run.usage().fuel}};
}

namespace {

bool has_fragment(const std::string& whole, const json::value& part) {
  return replay::contains_fragment(whole, text(part));
}

json::object usage_json(const loop::AgentUsage& usage) {
  return {{"input", static_cast<std::int64_t>(usage.input)},
          {"cached", static_cast<std::int64_t>(usage.cached)},
          {"cache_written", static_cast<std::int64_t>(usage.cache_written)},
          {"output", static_cast<std::int64_t>(usage.output)},
          {"reasoning", static_cast<std::int64_t>(usage.reasoning)}};
}

// Compares the named members of an object with what was counted; what was not counted is 0, or unknown.
Why counts_differ(std::string_view what, const json::object& expected, const json::object& counted, bool may_miss) {
  for (const auto& [name, count] : expected) {
    const json::value* const found = counted.if_contains(name);
    if (found == nullptr && !may_miss) return "unknown " + std::string(what) + ": " + std::string(name);
    const json::value got = found == nullptr ? json::value(std::int64_t{0}) : *found;
    if (auto why = differs(std::string(what) + " " + std::string(name), count, got)) return why;
  }
  return std::nullopt;
}

}  // namespace

json::object AgentFixture::happened() const {
  const loop::AgentRun& run = process_->run();
  const loop::AgentOutcome outcome = run.outcome();
  json::array keys, pending;
  for (const auto& [id, value] : run.journal()) keys.emplace_back(id);
  for (const std::string& path : run.pending()) pending.emplace_back(path);
  return {{"status", essence().at("state")},
          {"return", json::parse(outcome.result_json)},
          {"reason", refusal_ ? refusal_->reason : outcome.reason},
          {"turns", std::int64_t{run.usage().turns}},
          {"model_calls", sent_},
          {"journal_keys", std::move(keys)},
          {"pending", std::move(pending)},
          {"fallback_used", outcome.fallback_used},
          {"repaired", outcome.repaired}};
}

Why AgentFixture::check_prompt(const json::array& parts, bool wants) const {
  for (const json::value& part : parts) {
    if ((first_request_ && has_fragment(*first_request_, part)) == wants) continue;
    return (wants ? "the first request lacks: " : "the first request contains: ") + text(part);
  }
  return std::nullopt;
}

Why AgentFixture::check(const json::object& then) {
  const json::object happened = this->happened();
  const std::string message = refusal_ ? refusal_->message : process_->run().outcome().message;
  json::object calls;
  for (const auto& [tool, count] : calls_) calls[tool] = count;
  for (const auto& [name, expected] : then) {
    Why why;
    if (const json::value* const got = happened.if_contains(name)) {
      why = differs(name, expected, *got);
    } else if (name == "message_contains") {
      if (!has_fragment(message, expected)) why = "the message is: " + message;
    } else if (name == "calls") {
      why = counts_differ("calls of", expected.as_object(), calls, true);
    } else if (name == "usage") {
      why = counts_differ("usage", expected.as_object(), usage_json(process_->run().usage()), false);
    } else if (name == "prompt_contains" || name == "prompt_lacks") {
      why = check_prompt(expected.as_array(), name == "prompt_contains");
    } else if (name != "same_as_straight") {
      why = "unknown member of then: " + std::string(name);
    }
    if (why) return why;
  }
  return std::nullopt;
}

}  // namespace ptcvm::scenarios
