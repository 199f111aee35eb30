#include "agents/harness/setup/planner_seed.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::string_view kAskUser = "askUser";   // cannot be switched off

struct CoreTool {
  std::string_view name;
  bool is_usual;
};
constexpr CoreTool kCoreTools[] = {{"sendMessageToRemoteAgent", true}, {"sendMessageToMyPrincipal", false},
                                   {"readAttachment", true},           {"sleep", false},
                                   {"done", true}};
constexpr auto kCoreNames = [] {
  std::array<std::string_view, std::size(kCoreTools)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCoreTools[i].name;
  return names;
}();
constexpr std::string_view kPlanners[] = {kPlannerOff, kDrafterPlanner, kScenarioPlanner, kDemoPlanner};

template <class Names>
std::vector<std::string> without(const Names& names, const std::vector<std::string>& left_out) {
  std::vector<std::string> rest;
  for (const auto& name : names) {
    if (!has(left_out, name)) rest.emplace_back(name);
  }
  return rest;
}

void copy_trimmed(const json::object& from, std::string_view member, json::object& to) {
  const std::string_view text = trimmed(text_of(from, member));
  if (!text.empty()) to[member] = text;
}

std::int64_t clamped(std::optional<double> number, std::int64_t low, std::int64_t high, std::int64_t otherwise) {
  if (!number) return otherwise;
  const double whole = std::clamp(std::floor(*number), static_cast<double>(low), static_cast<double>(high));
  return static_cast<std::int64_t>(whole);
}

FullConfig hydrate_drafter(const json::object& seed) {
  return {{{"systemAppend", trimmed(text_of(seed, "systemAppend"))},
           {"targetWords", clamped(number_of(seed, "targetWords"), 0, kMostWords, 0)}},
          true};
}

Result<FullConfig> hydrate_scenario(const json::object& seed, const FetchJson& fetch) {
  const std::string url(trimmed(text_of(seed, "scenarioUrl")));
  if (url.empty()) return Error{Errc::invalid_value, "Missing scenarioUrl", std::nullopt, {}};
  Result<json::object> document = fetch(url);
  if (!document) return document.error();
  const Result<Scenario> scenario = read_scenario(*document);
  if (!scenario) return scenario.error();
  const ScenarioAgent& agent = scenario->agent_or_first(text_of(seed, "myAgentId"));
  const bool names_core = seed.contains("disabledCoreTools");
  json::object config{
      {"scenarioUrl", url},
      {"resolvedScenario", *std::move(document)},
      {"myAgentId", agent.id},
      {"enabledTools", array_of(without(agent.tool_names(), texts_of(seed, "disabledScenarioTools")))},
      {"enabledCoreTools",
       array_of(names_core ? without(kCoreNames, texts_of(seed, "disabledCoreTools")) : usual_core_tools())},
      {"maxInlineSteps", clamped(number_of(seed, "maxInlineSteps"), 1, kMostInlineSteps, kUsualInlineSteps)}};
  copy_trimmed(seed, "instructions", config);
  return FullConfig{std::move(config), true};
}

json::object dehydrate_drafter(const json::object& config) {
  json::object seed{{"v", seed_version(kDrafterPlanner)}};
  copy_trimmed(config, "systemAppend", seed);
  const std::int64_t words = clamped(number_of(config, "targetWords"), 0, kMostWords, 0);
  if (words != 0) seed["targetWords"] = words;
  return seed;
}

json::object dehydrate_scenario(const json::object& config) {
  json::object seed{{"v", seed_version(kScenarioPlanner)}, {"scenarioUrl", text_of(config, "scenarioUrl")}};
  // An agent is found by its id as it is written, spaces included.
  if (const auto id = text_of(config, "myAgentId"); !id.empty()) seed["myAgentId"] = id;
  if (const auto steps = number_of(config, "maxInlineSteps")) {
    seed["maxInlineSteps"] = clamped(steps, 1, kMostInlineSteps, kUsualInlineSteps);
  }
  const json::object* const document = object_at(config, "resolvedScenario");
  if (document != nullptr && config.contains("enabledTools")) {
    if (const Result<Scenario> scenario = read_scenario(*document)) {
      const auto names = scenario->agent_or_first(text_of(config, "myAgentId")).tool_names();
      json::array disabled = array_of(without(names, texts_of(config, "enabledTools")));
      if (!disabled.empty()) seed["disabledScenarioTools"] = std::move(disabled);
    }
  }
  if (config.contains("enabledCoreTools")) {
    // An empty list is written, too: without the list the usual ones are disabled.
    seed["disabledCoreTools"] = array_of(without(kCoreNames, texts_of(config, "enabledCoreTools")));
  }
  copy_trimmed(config, "instructions", seed);
  return seed;
}

}  // namespace

std::int64_t seed_version(std::string_view planner) { return planner == kScenarioPlanner ? 2 : 1; }

bool is_planner(std::string_view id) { return std::ranges::find(kPlanners, id) != std::end(kPlanners); }

std::span<const std::string_view> core_tools() { return kCoreNames; }

bool is_action(std::string_view name) {
  return name == kAskUser || std::ranges::find(kCoreNames, name) != std::end(kCoreNames);
}

std::vector<std::string> usual_core_tools() {
  std::vector<std::string> names;
  for (const CoreTool& tool : kCoreTools) {
    if (tool.is_usual) names.emplace_back(tool.name);
  }
  return names;
}

Result<FullConfig> hydrate(std::string_view planner, const json::object& seed, const FetchJson& fetch) {
  if (planner == kDrafterPlanner) return hydrate_drafter(seed);
  if (planner == kScenarioPlanner) return hydrate_scenario(seed, fetch);
  if (planner == kPlannerOff) return FullConfig{};
  if (planner != kDemoPlanner) {
    return Error{Errc::invalid_value, "there is no planner \"" + std::string(planner) + '"', std::nullopt, {}};
  }
  const std::string_view mode = text_of(seed, "mode");
  return FullConfig{{{"mode", mode.empty() ? "suggest" : mode}}, true};
}

json::object dehydrate(std::string_view planner, const json::object& config) {
  if (planner == kDrafterPlanner) return dehydrate_drafter(config);
  if (planner == kScenarioPlanner) return dehydrate_scenario(config);
  if (planner == kDemoPlanner) return {{"mode", text_of(config, "mode")}};
  return {};
}

std::string summarize_applied(std::string_view planner, const json::object& config) {
  if (planner == kDrafterPlanner) {
    const auto words = clamped(number_of(config, "targetWords"), 0, kMostWords, 0);
    return words == 0 ? "drafts of any length" : "drafts of about " + std::to_string(words) + " words";
  }
  if (planner == kScenarioPlanner) {
    return std::string(text_of(config, "myAgentId")) + " with " +
           std::to_string(texts_of(config, "enabledTools").size()) + " tools, " +
           std::string(text_of(config, "scenarioUrl"));
  }
  return planner == kDemoPlanner ? "demo, " + std::string(text_of(config, "mode")) : "no planner";
}

}  // namespace ptcvm::harness
