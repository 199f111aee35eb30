#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/setup/config_stores.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostErrorBytes = 1'000;

std::vector<std::string> kept(const std::vector<std::string>& wanted, const std::vector<std::string>& valid) {
  std::vector<std::string> result;
  for (const std::string& name : valid) {
    if (std::ranges::find(wanted, name) != wanted.end()) result.push_back(name);
  }
  return result;
}

std::vector<std::string> core_names() { return {core_tools().begin(), core_tools().end()}; }

std::vector<FieldOption> options_of(const std::vector<std::string>& names) {
  std::vector<FieldOption> options;
  for (const std::string& name : names) options.push_back({name, name});
  return options;
}

Error invalid(std::string message) { return {Errc::invalid_value, std::move(message), std::nullopt, {}}; }

}  // namespace

ScenarioConfigStore::ScenarioConfigStore(const json::object& initial)
    : initial_(initial), steps_(std::to_string(kUsualInlineSteps)), core_tools_(usual_core_tools()) {
  if (const auto steps = number_of(initial, "maxInlineSteps")) {
    constexpr double kShownSteps = 1e9;   // what is out of range is an error of the field
    steps_ = std::to_string(static_cast<std::int64_t>(std::clamp(*steps, -kShownSteps, kShownSteps)));
  }
  if (initial.contains("enabledCoreTools")) core_tools_ = kept(texts_of(initial, "enabledCoreTools"), core_names());
  instructions_ = text_of(initial, "instructions");
  url_ = text_of(initial, "scenarioUrl");
  if (const json::object* const resolved = object_at(initial, "resolvedScenario")) {
    use(*resolved);
  } else if (!url_.empty()) {
    load_ = Load{++loads_, 0, false};
  }
  is_dirty_ = false;
}

void ScenarioConfigStore::forget_scenario() {
  scenario_.reset();
  document_.clear();
  agent_id_.clear();
  tools_.clear();
}

void ScenarioConfigStore::set_url(std::string url, std::int64_t due_ms) {
  url_ = std::move(url);
  url_error_.clear();
  forget_scenario();
  load_.reset();
  if (!trimmed(url_).empty()) load_ = Load{++loads_, due_ms, false};
}

std::optional<PendingLoad> ScenarioConfigStore::due_load(std::int64_t now_ms) {
  if (!load_ || load_->is_begun || load_->due_ms > now_ms) return std::nullopt;
  load_->is_begun = true;
  return PendingLoad{load_->number, std::string(trimmed(url_))};
}

std::optional<std::int64_t> ScenarioConfigStore::wake_time_ms() const {
  if (!load_ || load_->is_begun) return std::nullopt;
  return load_->due_ms;
}

void ScenarioConfigStore::loaded(std::uint64_t number, Result<json::object> document) {
  if (!load_ || load_->number != number) return;
  load_.reset();
  if (document) use(*std::move(document));
  else url_error_ = document.error().message.substr(0, kMostErrorBytes);
  is_dirty_ = true;
  changed();
}

void ScenarioConfigStore::use(json::object document) {
  Result<Scenario> scenario = read_scenario(document);
  if (!scenario) {
    url_error_ = scenario.error().message;
    return;
  }
  scenario_ = *std::move(scenario);
  document_ = std::move(document);
  derive(applies_initial_ ? text_of(initial_, "myAgentId") : agent_id_);
}

void ScenarioConfigStore::derive(std::string_view agent_id) {
  const ScenarioAgent& chosen = scenario_->agent_or_first(agent_id);
  agent_id_ = chosen.id;
  tools_ = chosen.tool_names();
  if (std::exchange(applies_initial_, false) && initial_.contains("enabledTools")) {
    const auto asked = texts_of(initial_, "enabledTools");
    const auto wanted = kept(asked, tools_);
    if (!wanted.empty() || asked.empty()) tools_ = wanted;   // of tools that are gone, all is the better guess
  }
}

const ScenarioAgent* ScenarioConfigStore::agent() const {
  return scenario_ ? &scenario_->agent_or_first(agent_id_) : nullptr;
}

std::string ScenarioConfigStore::steps_error() const {
  const auto steps = number_of({{"steps", steps_}}, "steps");
  return wrong_steps(steps.value_or(0));
}

FieldState ScenarioConfigStore::agent_field() const {
  std::vector<FieldOption> options;
  if (scenario_) {
    for (const ScenarioAgent& known : scenario_->agents) options.push_back({known.id, known.id});
  }
  return {.key = "myAgentId", .type = "select", .label = "Agent", .value = json::value(agent_id_),
          .is_disabled = !scenario_, .is_visible = scenario_.has_value(), .options = std::move(options)};
}

FieldState ScenarioConfigStore::tools_field() const {
  return {.key = "enabledTools", .type = "checkbox-group", .label = "Tools of the scenario", .value = array_of(tools_),
          .is_visible = agent() != nullptr && !agent()->tools.empty(),
          .options = options_of(agent() == nullptr ? std::vector<std::string>{} : agent()->tool_names())};
}

FieldState ScenarioConfigStore::core_tools_field() const {
  return {.key = "enabledCoreTools", .type = "checkbox-group", .label = "Actions", .value = array_of(core_tools_),
          .options = options_of(core_names())};
}

ConfigSnapshot ScenarioConfigStore::snapshot() const {
  ConfigSnapshot snapshot;
  snapshot.is_pending = load_.has_value();
  snapshot.fields = {{.key = "scenarioUrl", .type = "text", .label = "Scenario", .value = json::value(url_),
                      .placeholder = "https://…", .is_required = true, .is_pending = load_.has_value(),
                      .error = url_error_},
                     agent_field(),
                     tools_field(),
                     core_tools_field(),
                     {.key = "maxInlineSteps", .type = "text", .label = "Steps of a pass", .value = json::value(steps_),
                      .error = steps_error()},
                     {.key = "instructions",
                      .type = "text",
                      .label = "Further instructions",
                      .value = json::value(instructions_)}};
  const bool has_error = std::ranges::any_of(snapshot.fields, [](const FieldState& field) {
    return !field.error.empty();
  });
  snapshot.can_save = scenario_.has_value() && !snapshot.is_pending && !has_error;
  snapshot.is_dirty = is_dirty_;
  snapshot.summary = scenario_ ? summarize_applied(kScenarioPlanner, export_full_config().config) : "no scenario";
  return snapshot;
}

FullConfig ScenarioConfigStore::export_full_config() const {
  json::object config{{"scenarioUrl", trimmed(url_)},
                      {"myAgentId", agent_id_},
                      {"enabledTools", array_of(tools_)},
                      {"enabledCoreTools", array_of(core_tools_)}};
  if (scenario_) config["resolvedScenario"] = document_;
  if (!trimmed(instructions_).empty()) config["instructions"] = trimmed(instructions_);
  config["maxInlineSteps"] = kUsualInlineSteps;
  if (steps_error().empty()) {
    config["maxInlineSteps"] = static_cast<std::int64_t>(*number_of({{"steps", steps_}}, "steps"));
  }
  return {std::move(config), scenario_.has_value() && !load_};
}

Result<void> ScenarioConfigStore::set_field(std::string_view key, const json::value& value, std::int64_t now_ms) {
  const auto fields = snapshot().fields;
  if (std::ranges::find(fields, key, &FieldState::key) == fields.end()) {
    return invalid("there is no field \"" + std::string(key) + '"');
  }
  const bool is_group = key == "enabledTools" || key == "enabledCoreTools";
  if (is_group && !value.is_array()) return invalid(std::string(key) + ": the value must be a list");
  if (!is_group && !value.is_string() && !(key == "maxInlineSteps" && value.is_number())) {
    return invalid(std::string(key) + ": the value must be a text");
  }
  const auto text = [&value] { return std::string(value.get_string()); };
  const auto list = [&value] { return texts_of({{"list", value}}, "list"); };
  if (key == "scenarioUrl") {
    set_url(text(), now_ms + kUrlDebounceMs);
  } else if (key == "myAgentId") {
    if (!scenario_ || !scenario_->has_agent(text())) return invalid("the scenario has no agent \"" + text() + '"');
    derive(text());
  } else if (key == "enabledTools") {
    if (agent() != nullptr) tools_ = kept(list(), agent()->tool_names());
  } else if (key == "enabledCoreTools") {
    core_tools_ = kept(list(), core_names());
  } else if (key == "maxInlineSteps") {
    steps_ = value.is_string() ? text() : json::serialize(value);
  } else {
    instructions_ = text();
  }
  is_dirty_ = true;
  changed();
  return {};
}

}  // namespace ptcvm::harness
