// Cases of programs that plan for a conversation.
#include <algorithm>

#include "agents/harness/pass/harness.h"
#include "agents/harness/planners/program_planner.h"
#include "ptcvm/engine.hpp"
#include "tests/scenarios/coherence_layers.h"
#include "tests/scenarios/fact_tokens.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

constexpr std::int64_t kNowMs = 1'700'000'000'000;

class PlannerFixture {
 public:
  PlannerFixture(const json::object& given, const ScenarioStore& store)
      : given_(given),
        store_(store.open()),
        conversation_(open()),
        program_(program_of_today(text(given.at("planner")))),
        planner_(harness::FactProgram(
                     Engine(), store_, conversation_,
                     {.id = "conversation/planner",
                      .source = program_,
                      .tools = scripted_tools(program_, counts_, [this](const auto& tool) { race(tool); })}),
                 [] { return kNowMs; }),
        harness_(conversation_) {
    if (const json::value* const facts = given.if_contains("facts")) add(*facts);
  }

  Why perform(const json::value& step) {
    if (step.is_object()) {
      if (auto why = only(step.get_object(), {"add", "expect"})) return why;
      if (const json::value* const then = step.get_object().if_contains("expect")) return expect(then->as_object());
      add(step.at("add"));
    } else if (text(step) == "run") {
      run();
    } else if (text(step) == "rewind") {
      conversation_.regenerate({kNowMs, "outside"}).value();
    } else {
      return "unknown step: " + text(step);
    }
    return std::nullopt;
  }

  Why expect(const json::object& then) {
    conversation_.refresh().value();
    const harness::ConversationView& view = conversation_.view();
    const auto drafts = std::ranges::count_if(view.facts(), [](const harness::Fact& fact) {
      return fact.type == harness::FactType::compose_intent;
    });
    const json::object got{{"appends", appends_},
                           {"facts", tokens_of(view)},
                           {"drafts", drafts},
                           {"drafts_alive", view.unsent_drafts().size()},
                           {"planner_runs", runs_},
                           {"cancelled_runs", view.cancelled_passes()},
                           {"parked_runs", view.parked_pass() ? 1 : 0}};
    json::object rest = then;
    if (const json::value* const calls = rest.if_contains("calls")) {
      if (auto why = counts_hold(*calls, counts_)) return why;
      rest.erase("calls");
    }
    return members_hold(rest, got);
  }

 private:
  harness::Conversation open() const {
    return harness::Conversation::open(HostLog::of(store_, "conversation")).value();
  }

  void add(const json::value& tokens) {
    harness::Conversation conversation = open();
    conversation.observe(tokens_.read(tokens), {kNowMs, "outside"}).value();
  }

  // Somebody else writes a fact while that tool is at work.
  void race(const std::string& tool) {
    const json::value* const race = given_.if_contains("race");
    if (race != nullptr && text(race->at("during")) == tool) add(race->at("add"));
  }

  void run() {
    harness_.schedule();
    while (harness_.wants_pass()) {
      const harness::Verdict verdict = harness_.begin(kNowMs).value();
      if (verdict == harness::Verdict::Run) {
        ++runs_;
        harness_.finish(planner_, kNowMs).value();
      }
      if (harness_.last_end() == harness::PassEnd::Committed) appends_.emplace_back("ok");
      if (harness_.last_end() == harness::PassEnd::Conflict) appends_.emplace_back("conflict");
    }
  }

  const json::object& given_;
  Store store_;
  harness::Conversation conversation_;
  std::string program_;
  CallCounts counts_;
  FactTokens tokens_;
  harness::ProgramPlanner planner_;
  harness::Harness harness_;
  json::array appends_;
  std::int64_t runs_ = 0;
};

}  // namespace

Why coherence_planner_case(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"facts", "planner", "race"})) return why;
  PlannerFixture fixture(scenario.given, scenario.store);
  for (const json::value& step : scenario.when) {
    if (auto why = fixture.perform(step)) return why;
  }
  return fixture.expect(scenario.then);
}

}  // namespace ptcvm::scenarios
