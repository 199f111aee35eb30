#include "agents/situation.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/replay/reply_bytes.h"
#include "ptcvm/json.hpp"

namespace ptcvm::test {

namespace {

namespace json = boost::json;

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

loop::ModelReply reply_of(const json::object& step, std::size_t number) {
  loop::ModelReply reply;
  if (const json::value* const status = step.if_contains("http")) {
    reply.status = status->to_number<int>();
    reply.body = R"({"error": {"message": "no"}})";
    for (const auto& header : step.at("headers").as_object()) {
      reply.headers.emplace_back(header.key(), text_of(header.value()));
    }
    return reply;
  }
  replay::SaidReply said;
  if (const json::value* const text = step.if_contains("text")) said.text = text_of(*text);
  if (const json::value* const program = step.if_contains("program")) {
    said.calls.push_back({"c" + std::to_string(number), "run_program",
                          json::serialize(json::object{{"program", text_of(*program)}})});
  }
  if (const json::value* const tool = step.if_contains("tool")) {
    said.calls.push_back({"c" + std::to_string(number), text_of(*tool), json::serialize(step.at("args"))});
  }
  if (const json::value* const used = step.if_contains("usage")) {
    said.usage = wire::TokenUsage{used->at("input").to_number<std::int64_t>(), {}, {},
                                  used->at("output").to_number<std::int64_t>(), {}};
  }
  reply.body = replay::reply_document(wire::Protocol::Chat, said);
  return reply;
}

Result<void> told(loop::AgentRun& run, const json::object& step, std::size_t number) {
  for (const auto& [verb, what] : step) {
    if (verb == "pend") return run.pend(text_of(what));
    if (verb == "begin") return run.begin_call(text_of(what));
    if (verb == "doubt") return run.doubt(text_of(what));
    if (verb == "input") return run.input(text_of(what));
    if (verb == "advance") return run.advance(what.to_number<std::int64_t>()), Result<void>();
    if (verb != "resolve" && verb != "reject" && verb != "raise") continue;
    for (const auto& [name, value] : what.as_object()) {
      Result<void> done = verb == "resolve"  ? run.resolve(std::string_view(name), Value::of(value))
                          : verb == "reject" ? run.reject(std::string_view(name), text_of(value))
                                             : run.raise(std::string_view(name), value.to_number<std::uint64_t>());
      if (!done) return done;
    }
    return {};
  }
  const json::value* const path = step.if_contains("path");
  return run.resolve_model(path == nullptr ? "model" : text_of(*path), reply_of(step, number));
}

}  // namespace

loop::Agent Situation::agent(const Engine& engine) const {
  loop::AgentOptions options;
  if (const json::value* const prices = line_.if_contains("prices")) {
    options.prices = loop::read_model_prices(*prices).value();
  }
  return loop::Agent::make(engine, loop::read_agent(line_.at("agent")).value(), std::move(options)).value();
}

int Situation::since() const {
  const json::value* const since = line_.if_contains("since");
  return since == nullptr ? 1 : since->to_number<int>();
}

std::string Situation::take(loop::AgentRun& run, std::string_view steps) const {
  std::size_t number = steps == "after" ? 100 : 0;
  for (const json::value& step : line_.at(steps).as_array()) {
    run.step();
    if (auto done = told(run, step.as_object(), ++number); !done) {
      return json::serialize(step) + ": " + done.error().message;
    }
  }
  run.step();
  return {};
}

std::optional<loop::AgentRun> Situation::enter(const loop::Agent& agent, std::string& complaint) const {
  const json::value* const data = line_.if_contains("data");
  auto run = loop::AgentRun::start(agent, {.id = name(), .data_json = data == nullptr ? "{}" : json::serialize(*data)});
  if (!run) return complaint = run.error().message, std::nullopt;
  if (complaint = take(*run, "before"); !complaint.empty()) return std::nullopt;
  return std::move(*run);
}

std::string Situation::leave(loop::AgentRun& run) const {
  if (std::string complaint = take(run, "after"); !complaint.empty()) return complaint;
  const loop::AgentOutcome outcome = run.outcome();
  const bool is_over = run.state() == loop::AgentState::Ended;
  const json::object came{{"status", !is_over ? "suspended" : outcome.is_ok ? "ok" : "error"},
                          {"return", json::parse(outcome.result_json)},
                          {"reason", outcome.reason},
                          {"turns", std::int64_t{run.usage().turns}}};
  for (const auto& [member, wanted] : line_.at("then").as_object()) {
    const json::value* const got = came.if_contains(member);
    if (got == nullptr || *got != wanted) return "came to " + json::serialize(came);
  }
  return {};
}

}  // namespace ptcvm::test
