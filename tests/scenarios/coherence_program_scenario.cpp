// Cases of programs that wait for facts. Time is virtual; workers are threads.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <memory>
#include <thread>

#include "agents/harness/planners/fact_program.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/json.hpp"
#include "tests/scenarios/coherence_layers.h"
#include "tests/scenarios/fact_tokens.h"

namespace ptcvm::scenarios {

namespace json = boost::json;
using harness::FactProgramEnd;

namespace {

constexpr const char* kRun = "conversation/program";

// A process that executes the program.
struct Worker {
  harness::Conversation conversation;
  harness::FactProgram program;
  Worker(const Store& store, const Engine& engine, const harness::FactProgramOptions& options)
      : conversation(harness::Conversation::open(HostLog::of(store, "conversation")).value()),
        program(engine, store, conversation, options) {}
};

class ProgramFixture {
 public:
  ProgramFixture(const json::object& given, const ScenarioStore& store)
      : given_(given), store_(store), program_(program_of_today(text(given.at("program")))) {
    if (const json::value* const count = given.if_contains("workers")) workers_.resize(count->to_number<std::size_t>());
  }

  Why perform(const json::value& step) {
    if (step.is_string()) return perform_named(step.get_string());
    const auto& [name, value] = *step.as_object().begin();
    if (name == "expect") return expect(value.as_object());
    if (name == "advance_ms") now_ms_ += value.to_number<std::int64_t>();
    else if (name == "add") add(value);
    else if (name == "result") resolve(value.as_object());
    else if (name == "put_external") put_external(value.as_object());
    else return "unknown step: " + std::string(name);
    return go_on();
  }

  Why expect(const json::object& then) {
    for (const auto& [name, expected] : then) {
      Why why;
      if (name == "value") why = differs(name, expected, end_.value);
      else if (name == "calls") why = counts_hold(expected, counts_);
      else if (name == "resumes") why = differs(name, expected, resumes_);
      else if (name == "parked") why = differs(name, expected, is_parked());
      else if (name == "state") why = differs(name, expected, is_parked() ? "parked" : "ended");
      else if (name == "llm_calls") why = differs(name, expected, 0);   // nobody in this fixture has a model
      else if (name == "facts_include") why = facts_include(expected.as_array());
      else if (name == "mission_log_contains") why = log_contains(text(expected));
      else why = "unknown member: " + std::string(name);
      if (why) return why;
    }
    return std::nullopt;
  }

  Why start() {
    for (auto& worker : workers_) {
      harness::FactProgramOptions options{.id = kRun, .source = program_, .tools = scripted_tools(program_, counts_)};
      options.on_wait = [this](const std::vector<std::string>&) { inject(); };
      worker = std::make_unique<Worker>(store_.open(), Engine(), options);
    }
    return go_on();
  }

 private:
  bool is_parked() const { return end_.kind == FactProgramEnd::Kind::Waiting; }

  Why perform_named(std::string_view name) {
    if (name == "start" || name == "restart") return start();
    if (name != "kill") return "unknown step: " + std::string(name);
    for (auto& worker : workers_) worker.reset();
    return std::nullopt;
  }

  // Lets all workers go on at the same time.
  Why go_on() {
    std::vector<std::optional<Result<FactProgramEnd>>> ends(workers_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i] == nullptr) return std::nullopt;
      threads.emplace_back([this, &ends, i] { ends[i] = workers_[i]->program.go_on(false, now_ms_); });
    }
    for (std::thread& thread : threads) thread.join();
    const bool was_parked = is_parked();
    for (const auto& end : ends) {
      if (!*end) return "go_on: " + (*end).error().message;
      const FactProgramEnd& got = **end;
      if (got.kind == FactProgramEnd::Kind::Failed) return "the program failed: " + got.error;
      if (got.kind == FactProgramEnd::Kind::Busy) continue;
      if (was_parked && got.kind == FactProgramEnd::Kind::Ended && !got.was_over) ++resumes_;
      if (!got.was_over || end_.kind != FactProgramEnd::Kind::Ended) end_ = got;
    }
    return std::nullopt;
  }

  harness::Conversation outside() const {
    return harness::Conversation::open(HostLog::of(store_.open(), "conversation")).value();
  }

  void add(const json::value& tokens) {
    harness::Conversation conversation = outside();
    auto facts = tokens_.read(tokens);
    for (harness::ProposedFact& fact : facts) {
      // Cases write "yes" as YAML does.
      json::value* const said = fact.body.if_contains("text");
      if (said != nullptr && said->is_bool()) *said = said->get_bool() ? "yes" : "no";
    }
    conversation.observe(std::move(facts), {now_ms_, "outside"}).value();
    HostLog(conversation.log()).flush().value();
  }

  void inject() {
    if (!given_.contains("inject") || std::exchange(has_injected_, true)) return;
    add(given_.at("inject").at("before_commit"));
  }

  void resolve(const json::object& results) {
    Store store = store_.open();
    for (const auto& [who, value] : results) {
      for (const JournalOperation& operation : store.journal(kRun).value().operations) {
        const json::value args = json::parse(json_of_edn(operation.args_edn));
        if (text(args.at("who")) == who) store.resolve(kRun, operation.id, Value::of(value)).value();
      }
    }
  }

  void put_external(const json::object& values) {
    Store store = store_.open();
    for (const auto& [id, value] : values) store.put(kRun, id, Value::of(value), "outside").value();
  }

  Why facts_include(const json::array& types) const {
    const harness::Conversation conversation = outside();
    for (const json::value& type : types) {
      const auto known = harness::find_fact_type(text(type));
      const bool found = std::ranges::any_of(
          conversation.view().facts(), [&known](const harness::Fact& fact) { return known && fact.type == *known; });
      if (!found) return "there is no fact " + text(type);
    }
    return std::nullopt;
  }

  Why log_contains(const std::string& id) const {
    const std::string log = mission_log(store_.open().journal(kRun).value());
    return log.find(id) != std::string::npos ? std::nullopt : Why("the mission log has no " + id);
  }

  const json::object& given_;
  const ScenarioStore& store_;
  std::string program_;
  FactTokens tokens_;
  CallCounts counts_;
  std::vector<std::unique_ptr<Worker>> workers_{1};
  FactProgramEnd end_;
  std::int64_t now_ms_ = 1'700'000'000'000, resumes_ = 0;
  bool has_injected_ = false;
};

}  // namespace

Why coherence_program_case(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"program", "inject", "workers"})) return why;
  ProgramFixture fixture(scenario.given, scenario.store);
  if (scenario.when.empty()) {
    if (auto why = fixture.start()) return why;
  }
  for (const json::value& step : scenario.when) {
    if (auto why = fixture.perform(step)) return why;
  }
  return fixture.expect(scenario.then);
}

}  // namespace ptcvm::scenarios
