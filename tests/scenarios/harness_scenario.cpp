// Cases of the planner harness. `layer` says what is tried.
#include <algorithm>
#include <stdexcept>

#include "agents/harness/conversation/conversation.h"
#include "agents/harness/facts/turn.h"
#include "agents/harness/pass/batch_rules.h"
#include "tests/scenarios/fact_tokens.h"
#include "tests/scenarios/harness_layers.h"
#include "tests/scenarios/scenario_kind.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

struct Layer {
  std::string_view name;
  Why (*hold)(const LayerCase& scenario);
};
constexpr Layer kLayers[] = {
    {"harness", harness_pass_layer},
    {"validator", harness_validator_layer},
    {"store", harness_store_layer},
    {"config", harness_config_layer},
    {"link", harness_link_layer},
    {"planner", harness_planner_layer},
    {"turn", harness_turn_layer},
};

json::value member_or_null(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found == nullptr ? json::value() : *found;
}

}  // namespace

Why members_hold(const json::object& then, const json::object& got) {
  for (const auto& [name, expected] : then) {
    const json::value* const found = got.if_contains(name);
    if (found == nullptr) return "unknown member: " + std::string(name);
    if (auto why = differs(name, expected, *found)) return why;
  }
  return std::nullopt;
}

Why harness_validator_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"history", "batch"})) return why;
  if (auto why = only(scenario.then, {"valid"})) return why;
  FactTokens tokens;
  harness::ConversationView view;
  for (const harness::ProposedFact& fact : tokens.read(scenario.given.at("history"))) {
    HostFact known = harness::host_fact(HostFactClass::Observation, std::string(harness::fact_info(fact.type).name), "",
                                        fact.body, {});
    known.seq = view.log_seq() + 1;
    view.apply(known);
  }
  std::vector<harness::ProposedFact> batch;
  try {
    batch = tokens.read(scenario.given.at("batch"));
  } catch (const std::invalid_argument& unknown_type) {
    return differs("valid", scenario.then.at("valid"), false);
  }
  const auto refusal = harness::refuse_batch(view, batch);
  const bool is_valid = !refusal && harness::is_ended(batch);
  const json::value& expected = scenario.then.at("valid");
  if (expected == json::value(is_valid)) return std::nullopt;
  return "valid: got " + std::string(is_valid ? "true" : refusal ? refusal->message : "false, it has no end");
}

Why harness_turn_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"sender", "next", "part_next"})) return why;
  const auto states = harness::turn_after(harness::asked_next_state(member_or_null(scenario.given, "next"),
                                                                    member_or_null(scenario.given, "part_next")));
  const bool init_sends = text(scenario.given.at("sender")) == "init";
  return members_hold(scenario.then, {{"init", init_sends ? states.sender : states.other},
                                      {"resp", init_sends ? states.other : states.sender}});
}

std::optional<std::string> harness_scenario(const json::object& scenario, const ScenarioStore& store) {
  if (auto why = only(scenario, {"id", "layer", "title", "given", "when", "then"})) return why;
  const std::string name = text(scenario.at("layer"));
  const auto* const layer = std::ranges::find(kLayers, name, &Layer::name);
  if (layer == std::end(kLayers)) return "unknown layer: " + name;
  static const json::object no_members;
  static const json::array no_steps;
  const json::value* const given = scenario.if_contains("given");
  const json::value* const when = scenario.if_contains("when");
  return layer->hold({given == nullptr ? no_members : given->as_object(), when == nullptr ? no_steps : when->as_array(),
                      scenario.at("then").as_object(), store});
}

}  // namespace ptcvm::scenarios
