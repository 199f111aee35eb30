// Cases of the scenario planner with scripted decisions. Its agent has the tools t1, t2 and fin, which ends.
#include <algorithm>

#include "agents/harness/planners/scenario_planner.h"
#include "tests/scenarios/fact_tokens.h"
#include "tests/scenarios/harness_layers.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

// A pass without a harness: its tasks are made each time.
class FreePass final : public harness::PlanContext {
 public:
  explicit FreePass(const std::vector<harness::ProposedFact>& facts) {
    for (const harness::ProposedFact& fact : facts) {
      HostFact known = harness::host_fact(HostFactClass::Observation,
                                          std::string(harness::fact_info(fact.type).name), "", fact.body, {});
      known.seq = view_.log_seq() + 1;
      view_.apply(known);
    }
  }
  const harness::ConversationView& view() const override { return view_; }
  bool resumes() const override { return false; }
  json::value task(std::string_view, const Task& body) override { return body(); }
  bool record(std::string_view, const harness::ProposedFact&) override { return true; }
  void call_begins(const harness::PlannerCall&) override {}
  void call_ended(std::string_view, harness::CallEnd, std::string_view) override {}
  std::string new_id(std::string_view prefix) override { return std::string(prefix) + '-' + std::to_string(++ids_); }
  void hud(harness::Hud) override {}

 private:
  harness::ConversationView view_;
  int ids_ = 0;
};

json::object planner_config(const json::object& given) {
  const json::array tools{json::object{{"toolName", "t1"}}, json::object{{"toolName", "t2"}},
                          json::object{{"toolName", "fin"}, {"endsConversation", true}}};
  json::object config{
      {"resolvedScenario", {{"agents", json::array{json::object{{"agentId", "a"}, {"tools", tools}}}}}}};
  if (const json::value* const own = given.if_contains("config")) {
    for (const auto& [name, value] : own->as_object()) config[name] = value;
  }
  return config;
}

// Gives the decisions in order, the last one again and again; plays every tool.
harness::AskModel scripted(const json::array& decisions) {
  return [&decisions, next = std::size_t{0}](const harness::ModelQuestion& question) mutable -> Result<std::string> {
    if (question.purpose == harness::ModelPurpose::PlayTool) {
      return std::string(R"({"reasoning": "r", "output": {"ok": 1}})");
    }
    if (decisions.empty()) return std::string();
    const json::value& decision = decisions[std::min(next++, decisions.size() - 1)];
    if (decision.is_string()) return text(decision);
    return json::serialize(json::object{{"reasoning", "r"}, {"action", decision}});
  };
}

Why no_such_fact(const json::object& unwanted, const std::vector<harness::ProposedFact>& facts) {
  for (const harness::ProposedFact& fact : facts) {
    if (harness::fact_info(fact.type).name != text(unwanted.at("type"))) continue;
    const json::value* const part = unwanted.if_contains("reason_contains");
    const std::string reason(harness::text_of(fact.body, "reason"));
    if (part == nullptr || reason.find(text(*part)) != std::string::npos) return "there is the fact " + reason;
  }
  return std::nullopt;
}

json::value last_draft(const std::vector<harness::ProposedFact>& facts) {
  json::value draft;
  for (const harness::ProposedFact& fact : facts) {
    if (fact.type != harness::FactType::compose_intent) continue;
    draft = json::object{{"text", harness::text_of(fact.body, "text")},
                         {"hint", harness::text_of(fact.body, "nextStateHint")}};
  }
  return draft;
}

}  // namespace

Why harness_planner_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"facts", "decisions", "config"})) return why;
  FactTokens tokens;
  const json::value* const given = scenario.given.if_contains("facts");
  FreePass pass(given == nullptr ? std::vector<harness::ProposedFact>() : tokens.read(*given));
  const json::array& decisions = scenario.given.at("decisions").as_array();
  auto planner =
      harness::ScenarioPlanner::make(planner_config(scenario.given), scripted(decisions), [](std::int64_t) {});
  if (!planner) return planner.error().message;
  const auto facts = planner->plan(pass).facts;
  for (const auto& [name, expected] : scenario.then) {
    Why why;
    if (name == "types") {
      json::array types;
      for (const harness::ProposedFact& fact : facts) types.emplace_back(harness::fact_info(fact.type).name);
      why = differs(name, expected, types);
    } else if (name == "last_draft") {
      const json::value got = last_draft(facts);
      why = expected.is_object() && got.is_object() ? members_hold(expected.get_object(), got.get_object())
                                                    : differs(name, expected, got);
    } else if (name == "no_fact") {
      why = no_such_fact(expected.as_object(), facts);
    } else {
      why = "unknown member: " + std::string(name);
    }
    if (why) return why;
  }
  return std::nullopt;
}

}  // namespace ptcvm::scenarios
