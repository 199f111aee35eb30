// Cases in which programs, facts and stores come together.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <regex>

#include "ptcvm/json.hpp"
#include "ptcvm/stored_run.hpp"
#include "tests/scenarios/coherence_layers.h"
#include "tests/scenarios/scenario_kind.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

ToolReply answer_of(ToolCall& call) {
  if (call.name() == "call") return call.pending();
  if (call.name() == "charge") return call.value(std::string("tx_1"));
  return call.value(std::string(call.name()));
}

StoredOutcome run_once(const Store& store, const std::string& program, CallCounts& counts, bool again) {
  Store handle = store;
  return run_stored(Engine(), handle, scripted_tools(program, counts), program, {.id = "run", .again = again}).value();
}

json::object journal_of(const Store& store) {
  json::object journal;
  for (const JournalTask& task : store.journal("run").value().tasks) {
    journal[task.id] = json::parse(json_of_edn(task.value_edn));
  }
  return journal;
}

json::array sorted_keys(const json::object& journal) {
  std::vector<std::string> keys;
  for (const auto& [id, value] : journal) keys.emplace_back(id);
  std::ranges::sort(keys);
  return json::array(keys.begin(), keys.end());
}

}  // namespace

Tools scripted_tools(std::string_view program, CallCounts& counts, std::function<void(const std::string&)> before) {
  static const std::regex name(R"(\(tool/([a-z_0-9]+))");
  const std::string text(program);
  Tools tools;
  for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found) {
    const std::string tool = (*found)[1];
    const ToolMode mode = tool == "call" ? ToolMode::Async : ToolMode::Sync;
    tools
        .add(tool, "",
             [&counts, before](ToolCall& call) {
               const std::string called(call.name());
               ++counts[called];
               if (before) before(called);
               return answer_of(call);
             },
             {.effect = Effect::Keyed, .mode = mode})
        .value();
  }
  return tools;
}

std::string program_of_today(const std::string& program) {
  static const std::regex await(R"re(\(await "[^"]*" \{:type (:[a-z_]+) :key ("[^"]*")\}( [0-9]+)?\))re");
  return std::regex_replace(program, await, "(await-fact $1 $2$3)");
}

json::object counts_json(const CallCounts& counts) {
  json::object object;
  for (const auto& [tool, count] : counts) object[tool] = count;
  return object;
}

Why counts_hold(const json::value& expected, const CallCounts& counts) {
  for (const auto& [tool, count] : expected.as_object()) {
    const auto found = counts.find(std::string(tool));
    if (auto why = differs(tool, count, found == counts.end() ? std::int64_t{0} : found->second)) return why;
  }
  return std::nullopt;
}

Why coherence_journal_case(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"journal", "program"})) return why;
  const Store store = scenario.store.open();
  if (const json::value* const journal = scenario.given.if_contains("journal")) {
    for (const auto& [id, value] : journal->as_object()) Store(store).put("run", id, Value::of(value)).value();
  }
  const std::string program = text(scenario.given.at("program"));
  CallCounts counts;
  const StoredOutcome first = run_once(store, program, counts, false);
  const json::object journal = journal_of(store);
  const Outcome& turn = first.outcome;
  for (const auto& [name, expected] : scenario.then) {
    Why why;
    if (name == "value") why = differs(name, expected, json::parse(turn.value.to_json()));
    else if (name == "calls") why = counts_hold(expected, counts);
    else if (name == "error") why = differs(name, expected, json::parse(turn.value.to_json()));
    else if (name == "error_kind")
      why = differs(name, expected, json::value(turn.diagnostic ? turn.diagnostic->kind : ""));
    else if (name == "journal") why = differs(name, expected, journal);
    else if (name == "journal_keys") why = differs(name, expected, sorted_keys(journal));
    else if (name == "rerun_calls") {
      CallCounts more;
      run_once(store, program, more, true);
      why = counts_hold(expected, more);
    } else {
      why = "unknown member: " + std::string(name);
    }
    if (why) return why;
  }
  return std::nullopt;
}

std::optional<std::string> coherence_scenario(const json::object& scenario, const ScenarioStore& store) {
  if (auto why = only(scenario, {"id", "title", "given", "when", "then"})) return why;
  static const json::array no_steps;
  const json::value* const when = scenario.if_contains("when");
  const json::object& given = scenario.at("given").as_object();
  const LayerCase layer{given, when == nullptr ? no_steps : when->as_array(), scenario.at("then").as_object(), store};
  if (given.contains("planner")) return coherence_planner_case(layer);
  const bool has_journal = given.contains("journal") || layer.then.contains("journal") ||
                           layer.then.contains("rerun_calls") || layer.then.contains("journal_keys");
  if (given.contains("program") && has_journal) return coherence_journal_case(layer);
  if (given.contains("program")) return coherence_program_case(layer);
  if (given.contains("plan")) return coherence_chain_case(layer);
  if (given.contains("run")) return coherence_replay_case(layer);
  if (given.contains("programs")) return coherence_rerun_case(layer);
  return "cases with these givens are not run here";
}

}  // namespace ptcvm::scenarios
