#include "agents/loop/progress_program.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/loop/result_json.h"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

Error failed(const std::string& why) {
  return {Errc::invalid_value, "the function \"progress\": " + why, std::nullopt, {}};
}

std::string data_of(const ProgressInput& input) {
  json::array plan;
  for (const PlanStep& step : input.plan) plan.push_back(json::object{{"id", step.id}, {"text", step.text}});
  json::object summaries;
  for (const auto& [id, text] : input.summaries) summaries[id] = text;
  json::object data{{"input", json::object{{"plan", std::move(plan)},
                                           {"summaries", std::move(summaries)},
                                           {"turn", input.turn}}}};
  boost::system::error_code error;
  json::value state = json::parse(input.state.empty() ? "null" : input.state, error);
  data["state"] = error ? json::value() : std::move(state);
  return json::serialize(data);
}

}  // namespace

Result<ProgressOutput> run_progress(const Engine& engine, const std::string& function, const ProgressInput& input) {
  const auto program = engine.compile("(return (" + function + "\n data/input data/state))");
  if (!program) return failed(program.error().message);
  const std::string data = data_of(input);
  RunOptions options;
  options.data_json = data;
  options.time_ms = 0;   // the same state gives the same text
  auto run = Run::start(engine, *program, options);
  if (!run) return failed(run.error().message);
  run->step();
  if (const auto fault = run->diagnostic()) return failed(fault->kind + ": " + fault->message);
  if (run->state() != RunState::Returned) return failed("it may not wait");
  const ValueView text = run->result()["text"], state = run->result()["state"];
  if (!text.as_string()) return failed("it must return a map with a string \"text\"");
  return ProgressOutput{std::string(*text.as_string()), state.is_nil() ? std::string() : result_json(state)};
}

}  // namespace ptcvm::loop
