// Cases of plans of tasks: what they leave in the log, what a later process does again, and replay against a log.
#include <regex>

#include "agents/chain/run/steps_run.h"
#include "tests/scenarios/chain_fixture.h"
#include "tests/scenarios/coherence_layers.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

// A step as it is written today: {:t (result "s1")} is {"t": {"$result": "s1"}}.
json::object step_of_today(json::object step) {
  static const std::regex result(R"re(:([a-z_]+) \(result "([^"]*)"\))re");
  const json::value* const source = step.if_contains("args_src");
  if (source == nullptr) return step;
  json::object args;
  const std::string written = text(*source);
  for (std::sregex_iterator found(written.begin(), written.end(), result), end; found != end; ++found) {
    args[(*found)[1].str()] = json::object{{"$result", (*found)[2].str()}};
  }
  step["args"] = std::move(args);
  step.erase("args_src");
  return step;
}

json::array plan_of_today(const json::value& plan) {
  json::array steps;
  for (const json::value& step : plan.as_array()) steps.push_back(step_of_today(step.as_object()));
  return steps;
}

// What is given to the case, in the words of the kind chain. Nobody answers questions.
json::object chain_given(const json::object& given) {
  json::object chain{{"plan", plan_of_today(given.at("plan"))}, {"tools", given.at("tools")}, {"ask", "never"}};
  if (const json::value* const replans = given.if_contains("replan")) {
    json::array later;
    for (const auto& [revision, plan] : replans->as_object()) later.push_back(plan_of_today(plan));
    chain["replans"] = std::move(later);
  }
  if (const json::value* const crash = given.if_contains("crash_at")) {
    if (text(*crash) != "report_issued") throw std::runtime_error("unknown crash: " + text(*crash));
    chain["crash"] = json::array{"before_report", "after_report"};
  }
  return chain;
}

class ChainCase {
 public:
  ChainCase(const json::object& given, const ScenarioStore& store) : given_(chain_given(given)), store_(store) {}

  Why perform(const json::value& step) {
    if (step.is_object()) {
      if (auto why = only(step.get_object(), {"expect", "answer"})) return why;
      if (const json::value* const then = step.get_object().if_contains("expect")) return expect(then->as_object());
      given_["ask"] = step.at("answer");
    } else if (text(step) == "kill") {
      return std::nullopt;   // no process outlives its step
    } else if (text(step) != "start" && text(step) != "restart") {
      return "unknown step: " + text(step);
    }
    go_on();
    return std::nullopt;
  }

  Why expect(const json::object& then) const {
    for (const auto& [name, expected] : then) {
      if (auto why = member(name, expected)) return why;
    }
    return std::nullopt;
  }

  // Executes the task in processes of their own, until it is over or waits.
  void go_on() {
    ChainFixture fixture(given_, store_, {});
    const ChainSeen& seen = fixture.run();
    given_.erase("crash");
    for (const std::string& tool : seen.calls) ++calls_[tool];
    for (const auto& [tool, calls] : seen.args) args_[tool] = calls.back();
    for (const auto& [key, report] : seen.reports) reports_[key] = report;
    outcome_ = seen.outcome;
  }

  std::int64_t calls() const {
    std::int64_t all = 0;
    for (const auto& [tool, count] : calls_) all += count;
    return all;
  }

 private:
  Why member(std::string_view name, const json::value& expected) const {
    if (name == "calls") return differs(name, expected, counts_json(calls_));
    if (name == "calls_args") return args_hold(expected.as_object());
    if (name == "reports") return differs(name, expected, static_cast<std::int64_t>(reports_.size()));
    if (name == "state") return differs(name, expected, outcome_ ? "ended" : "parked");
    if (name == "journal_key_prefixes") return prefixes_hold(expected.as_array());
    if (name == "success") return differs(name, expected, outcome_ && outcome_->report.at("success").as_bool());
    if (name == "revision") return differs(name, expected, outcome_ ? json::value(outcome_->revision) : json::value());
    if (name != "steps") return "unknown member: " + std::string(name);
    json::array rows;
    for (const json::value& row : outcome_ ? outcome_->report.at("steps").as_array() : json::array()) {
      rows.push_back(json::array{row.at("stepId"), row.at("status")});
    }
    return differs(name, expected, rows);
  }

  Why args_hold(const json::object& expected) const {
    for (const auto& [tool, args] : expected) {
      const json::value* const got = args_.if_contains(tool);
      if (auto why = differs("args of " + std::string(tool), args, got == nullptr ? json::value() : *got)) return why;
    }
    return std::nullopt;
  }

  Why prefixes_hold(const json::array& prefixes) const {
    const RunJournal journal = store_.open().journal(chain::steps_run_id("T")).value();
    for (const json::value& prefix : prefixes) {
      const bool found = std::ranges::any_of(
          journal.tasks, [&prefix](const JournalTask& task) { return task.id.starts_with(text(prefix)); });
      if (!found) return "no task begins with " + text(prefix);
    }
    return std::nullopt;
  }

  json::object given_;
  const ScenarioStore& store_;
  CallCounts calls_;
  json::object args_;   // what each tool got last
  std::map<std::string, json::object> reports_;
  std::optional<chain::ChainOutcome> outcome_;
};

// Returns how many calls the plan makes in a store that has the calls of the journal.
std::int64_t misses(const json::object& given, const RunJournal& recorded, StoreType type) {
  const ScenarioStore store(type);
  for (const JournalTask& task : recorded.tasks) {
    const bool is_call = task.id.find('#') != std::string::npos;   // "T/s1#8c1f02aa"; other tasks are rows of steps
    if (!is_call) continue;
    store.open().put(chain::steps_run_id("T"), task.id, Value::from_edn(task.value_edn).value(), "replay").value();
  }
  ChainCase replay(given, store);
  replay.go_on();
  return replay.calls();
}

}  // namespace

Why coherence_chain_case(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"plan", "tools", "replan", "crash_at"})) return why;
  ChainCase chain(scenario.given, scenario.store);
  if (scenario.when.empty()) chain.go_on();
  for (const json::value& step : scenario.when) {
    if (auto why = chain.perform(step)) return why;
  }
  return chain.expect(scenario.then);
}

Why coherence_replay_case(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"run", "candidate"})) return why;
  const json::object* const recorded = scenario.given.at("run").if_object();
  if (recorded == nullptr) return "the file has no case " + json::serialize(scenario.given.at("run"));
  ChainCase(*recorded, scenario.store).go_on();
  const RunJournal journal = scenario.store.open().journal(chain::steps_run_id("T")).value();
  json::object candidate = *recorded;
  for (json::value& step : candidate.at("plan").as_array()) {
    const json::value* const args = scenario.given.at("candidate").as_object().if_contains(text(step.at("id")));
    if (args != nullptr) step.as_object()["args"] = *args;
  }
  return members_hold(scenario.then, {{"self_misses", misses(*recorded, journal, scenario.store.type())},
                                      {"candidate_drifts", misses(candidate, journal, scenario.store.type())}});
}

}  // namespace ptcvm::scenarios
