// Cases of configurations, of forms and of links. The scenario at the URL "u" has the agents a (tools t1, t2) and b.
#include <algorithm>

#include "agents/harness/facts/json_members.h"
#include "agents/harness/setup/config_stores.h"
#include "agents/harness/setup/deep_link.h"
#include "tests/scenarios/harness_layers.h"

namespace ptcvm::scenarios {

namespace json = boost::json;

namespace {

json::object scenario_document() {
  return {{"title", "u"},
          {"agents", json::array{json::object{{"agentId", "a"},
                                              {"tools", json::array{json::object{{"toolName", "t1"}},
                                                                    json::object{{"toolName", "t2"}}}}},
                                 json::object{{"agentId", "b"}, {"tools", json::array()}}}}};
}

Result<json::object> fetch(const std::string& url) {
  if (url == "u") return scenario_document();
  return Error{Errc::not_available, "there is no scenario at " + url, std::nullopt, {}};
}

std::string planner_id(const json::value& name) {
  return std::string(text(name) == "scenario" ? harness::kScenarioPlanner : harness::kDrafterPlanner);
}

// Sets of tools have no order.
json::value sorted(const json::value& value) {
  if (!value.is_array()) return value;
  json::array list = value.get_array();
  std::ranges::sort(list, {}, [](const json::value& item) { return json::serialize(item); });
  return list;
}

Why same_config(const json::object& expected, const json::object& got) {
  for (const auto& [name, value] : expected) {
    const json::value* const found = got.if_contains(name);
    if (auto why = differs(name, sorted(value), found == nullptr ? json::value() : sorted(*found))) return why;
  }
  return std::nullopt;
}

Why same_error(const json::value& expected, const std::string& got) {
  if (expected.is_bool()) return differs("error", expected, !got.empty());
  if (expected.is_null()) return got.empty() ? std::nullopt : Why("error: " + got);
  if (got.find(text(expected)) != std::string::npos) return std::nullopt;
  return differs("error", expected, json::value(got));
}

json::object with_scenario(json::object config) {
  if (harness::text_of(config, "scenarioUrl") == "u" && !config.contains("resolvedScenario")) {
    config["resolvedScenario"] = scenario_document();
  }
  return config;
}

Why same_seed(const json::object& expected, const json::object& got) {
  if (auto why = same_config(expected, got)) return why;
  return expected.size() == got.size() ? std::nullopt : differs("seed", expected, got);
}

Why hydrate_case(const LayerCase& scenario) {
  if (auto why = only(scenario.then, {"config", "ready", "error"})) return why;
  const auto got =
      harness::hydrate(planner_id(scenario.given.at("hydrate")), scenario.given.at("seed").as_object(), fetch);
  if (const json::value* const expected = scenario.then.if_contains("error")) {
    if (auto why = same_error(*expected, got ? "" : got.error().message)) return why;
  } else if (!got) {
    return got.error().message;
  }
  if (const json::value* const ready = scenario.then.if_contains("ready")) {
    if (auto why = differs("ready", *ready, got && got->is_ready)) return why;
  }
  const json::value* const config = scenario.then.if_contains("config");
  return config == nullptr ? std::nullopt : same_config(config->as_object(), got.value().config);
}

Why dehydrate_case(const LayerCase& scenario) {
  if (auto why = only(scenario.then, {"seed"})) return why;
  const json::object got = harness::dehydrate(planner_id(scenario.given.at("dehydrate")),
                                              with_scenario(scenario.given.at("config").as_object()));
  const json::object& expected = scenario.then.at("seed").as_object();
  return same_seed(expected, got);
}

Why roundtrip_case(const LayerCase& scenario) {
  if (auto why = only(scenario.then, {"same"})) return why;
  const std::string planner = planner_id(scenario.given.at("roundtrip"));
  const json::object config = with_scenario(scenario.given.at("config").as_object());
  const auto again = harness::hydrate(planner, harness::dehydrate(planner, config), fetch);
  if (!again) return again.error().message;
  json::object expected;
  for (const std::string& member : texts(scenario.then, "same")) expected[member] = config.at(member);
  return same_config(expected, again->config);
}

class StoreForm {
 public:
  explicit StoreForm(const json::object& initial) : store_(initial) {}

  Why perform(const json::value& step) {
    if (step.is_string()) {
      if (text(step) != "load_done") return "unknown step: " + text(step);
      load();
      return std::nullopt;
    }
    if (auto why = only(step.as_object(), {"set", "expect"})) return why;
    const json::value* const expected = step.as_object().if_contains("expect");
    if (expected != nullptr) return expect(expected->as_object());
    for (const auto& [field, value] : step.at("set").as_object()) {
      if (const auto set = store_.set_field(field, value, now_ms_); !set) last_error_ = set.error().message;
    }
    return std::nullopt;
  }

  Why expect(const json::object& then) const {
    const harness::ConfigSnapshot form = store_.snapshot();
    const harness::FullConfig full = store_.export_full_config();
    for (const auto& [name, expected] : then) {
      Why why;
      if (name == "pending") why = differs(name, expected, form.is_pending);
      else if (name == "canSave") why = differs(name, expected, form.can_save);
      else if (name == "ready") why = differs(name, expected, full.is_ready);
      else if (name == "config") why = same_config(expected.as_object(), full.config);
      else if (name == "error") why = same_error(expected, last_error_);
      else if (name == "field_error") why = field_error(expected, form);
      else if (name == "enabledTools") why = same_config({{name, expected}}, full.config);
      else why = "unknown member: " + std::string(name);
      if (why) return why;
    }
    return std::nullopt;
  }

 private:
  void load() {
    if (const auto wake = store_.wake_time_ms()) now_ms_ = std::max(now_ms_, *wake);
    if (const auto load = store_.due_load(now_ms_)) store_.loaded(load->number, fetch(load->url));
  }

  // The expected value is the key of the field that is wrong, its text, or whether there is one. An object has the text
  // of each field, or whether the field is wrong.
  static Why field_error(const json::value& expected, const harness::ConfigSnapshot& form) {
    if (const json::object* const by_key = expected.if_object()) {
      for (const auto& [key, wanted] : *by_key) {
        const auto found = std::ranges::find(form.fields, key, &harness::FieldState::key);
        if (found == form.fields.end()) return "there is no field " + std::string(key);
        if (auto why = same_error(wanted, found->error)) return why;
      }
      return std::nullopt;
    }
    std::string all;
    for (const harness::FieldState& field : form.fields) {
      if (!field.error.empty()) all.append(field.key).append(": ").append(field.error).append("\n");
    }
    return same_error(expected, all);
  }

  harness::ScenarioConfigStore store_;
  std::int64_t now_ms_ = 1'000;
  std::string last_error_;
};

class LinkFixture {
 public:
  explicit LinkFixture(const json::object& given) : link_(fetch) {
    if (const json::value* const hash = given.if_contains("hash")) read(*hash);
    if (const json::value* const config = given.if_contains("config")) link_.apply(with_scenario(config->as_object()));
  }

  Why perform(const json::value& step) {
    const json::object& object = step.as_object();
    if (auto why = only(object, {"hash", "mode", "apply", "expect"})) return why;
    if (const json::value* const hash = object.if_contains("hash")) read(*hash);
    if (const json::value* const config = object.if_contains("apply")) {
      const json::object written = link_.apply(with_scenario(config->as_object()));
      revs_.push_back(written.at("rev"));
      seed_ = written.at("planners").at(link_.planner()).at("seed");
    }
    if (const json::value* const expected = object.if_contains("expect")) return expect(expected->as_object());
    const json::value* const mode = object.if_contains("mode");
    return mode == nullptr ? std::nullopt : differs("mode", *mode, mode_name());
  }

  Why expect(const json::object& then) const {
    for (const auto& [name, expected] : then) {
      Why why;
      if (name == "planner") why = differs(name, expected, json::value(link_.planner()));
      else if (name == "mode") why = differs(name, expected, mode_name());
      else if (name == "ready") why = differs(name, expected, link_.config().is_ready);
      else if (name == "revs") why = differs(name, expected, revs_);
      else if (name == "error") why = same_error(expected, refused_);
      else if (name == "config") why = same_config(expected.as_object(), link_.config().config);
      else if (name == "written_seed" && expected.is_object() && seed_.is_object())
        why = same_seed(expected.get_object(), seed_.get_object());
      else if (name == "written_seed") why = differs(name, expected, seed_);
      else why = "unknown member: " + std::string(name);
      if (why) return why;
    }
    return std::nullopt;
  }

 private:
  json::value mode_name() const { return json::value(harness::send_mode_name(link_.mode())); }
  void read(const json::value& hash) {
    const std::string fragment = hash.is_string() ? text(hash) : json::serialize(hash);
    const auto link = harness::read_fragment(fragment);
    const Result<bool> taken = link ? link_.read(*link) : Result<bool>(link.error());
    if (!taken) refused_ = taken.error().message;
  }

  harness::DeepLink link_;
  json::array revs_;
  json::value seed_;
  std::string refused_;
};

}  // namespace

Why harness_config_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"hydrate", "dehydrate", "roundtrip", "seed", "config", "store", "initial"})) {
    return why;
  }
  if (scenario.given.contains("hydrate")) return hydrate_case(scenario);
  if (scenario.given.contains("dehydrate")) return dehydrate_case(scenario);
  if (scenario.given.contains("roundtrip")) return roundtrip_case(scenario);
  if (text(scenario.given.at("store")) != "scenario") return "there is no such store";
  const json::value* const initial = scenario.given.if_contains("initial");
  StoreForm form(initial == nullptr ? json::object() : initial->as_object());
  for (const json::value& step : scenario.when) {
    if (auto why = form.perform(step)) return why;
  }
  return form.expect(scenario.then);
}

Why harness_link_layer(const LayerCase& scenario) {
  if (auto why = only(scenario.given, {"hash", "config"})) return why;
  LinkFixture fixture(scenario.given);
  for (const json::value& step : scenario.when) {
    if (auto why = fixture.perform(step)) return why;
  }
  return fixture.expect(scenario.then);
}

}  // namespace ptcvm::scenarios
