// The members of seeds and configurations of planners, and which values they may have.
#include <algorithm>
#include <cmath>

#include "agents/harness/facts/json_members.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

enum class MemberType : std::uint8_t { Text, Mode, Version, Words, Steps, Texts, Actions, Map };
enum class In : std::uint8_t { Seed, Config, Both };
struct PlannerMember {
  std::string_view planner, name;
  MemberType type;
  In in;
};
constexpr PlannerMember kPlannerMembers[] = {
    {kDrafterPlanner, "v", MemberType::Version, In::Seed},
    {kDrafterPlanner, "systemAppend", MemberType::Text, In::Both},
    {kDrafterPlanner, "targetWords", MemberType::Words, In::Both},
    {kScenarioPlanner, "v", MemberType::Version, In::Seed},
    {kScenarioPlanner, "scenarioUrl", MemberType::Text, In::Both},
    {kScenarioPlanner, "resolvedScenario", MemberType::Map, In::Config},
    {kScenarioPlanner, "myAgentId", MemberType::Text, In::Both},
    {kScenarioPlanner, "maxInlineSteps", MemberType::Steps, In::Both},
    {kScenarioPlanner, "disabledScenarioTools", MemberType::Texts, In::Seed},
    {kScenarioPlanner, "disabledCoreTools", MemberType::Actions, In::Seed},
    {kScenarioPlanner, "enabledTools", MemberType::Texts, In::Config},
    {kScenarioPlanner, "enabledCoreTools", MemberType::Actions, In::Config},
    {kScenarioPlanner, "instructions", MemberType::Text, In::Both},
    {kDemoPlanner, "mode", MemberType::Mode, In::Both}};

const PlannerMember* find_member(std::string_view planner, std::string_view name, In in) {
  const auto* const found = std::ranges::find_if(kPlannerMembers, [&](const PlannerMember& member) {
    return member.planner == planner && member.name == name && (member.in == in || member.in == In::Both);
  });
  return found == std::end(kPlannerMembers) ? nullptr : found;
}

// Returns the names that the planner has in that place, for people.
std::string names_in(std::string_view planner, In in) {
  std::string names;
  for (const PlannerMember& member : kPlannerMembers) {
    if (find_member(planner, member.name, in) != &member) continue;
    names.append(names.empty() ? "" : ", ").append(member.name);
  }
  return names;
}

std::string unknown_action(const std::vector<std::string>& names) {
  std::string known;
  for (const std::string_view name : core_tools()) known.append(known.empty() ? "" : ", ").append(name);
  for (const std::string& name : names) {
    if (std::ranges::find(core_tools(), name) != core_tools().end()) continue;
    return "there is no action \"" + name + "\"; there are " + known;
  }
  return {};
}

bool is_whole(double number) { return number == std::floor(number); }

std::string wrong_version(double version, std::string_view planner) {
  const std::int64_t last = seed_version(planner);
  const bool is_known = is_whole(version) && version >= 1 && version <= static_cast<double>(last);
  if (is_known) return {};
  return "the version of a seed of " + std::string(planner) + " must be a whole number from 1 to " +
         std::to_string(last) + "; a later ptcvm may have written the seed";
}

// Returns what the value must be when it is of another type, or "".
std::string other_type(const json::object& object, const PlannerMember& member) {
  const json::value& value = object.at(member.name);
  switch (member.type) {
    case MemberType::Text:
    case MemberType::Mode: return value.is_string() ? "" : "must be a text";
    case MemberType::Version:
    case MemberType::Words:
    case MemberType::Steps: return value.is_number() ? "" : "must be a number";
    case MemberType::Map: return value.is_object() ? "" : "must be a map";
    case MemberType::Texts:
    case MemberType::Actions: break;
  }
  const bool is_list = value.is_array() && texts_of(object, member.name).size() == value.get_array().size();
  return is_list ? "" : "must be a list of texts";
}

// Returns what is wrong with a value of the right type, or "".
std::string wrong_value(const json::object& object, const PlannerMember& member) {
  switch (member.type) {
    case MemberType::Words: return wrong_words(object.at(member.name).to_number<double>());
    case MemberType::Steps: return wrong_steps(object.at(member.name).to_number<double>());
    case MemberType::Actions: return unknown_action(texts_of(object, member.name));
    case MemberType::Mode: {
      const json::string& mode = object.at(member.name).get_string();
      return mode == "off" || mode == "suggest" ? "" : "must be \"off\" or \"suggest\"";
    }
    case MemberType::Version:
      return wrong_version(object.at(member.name).to_number<double>(), member.planner);
    case MemberType::Text:
    case MemberType::Texts:
    case MemberType::Map: break;
  }
  return {};
}

// Returns "" or what is wrong with the member, with its name.
std::string wrong_member(const json::object& object, const PlannerMember& member) {
  std::string wrong = other_type(object, member);
  if (wrong.empty()) wrong = wrong_value(object, member);
  return wrong.empty() ? wrong : std::string(member.name) + ": " + wrong;
}

// Returns "" or what is wrong with the first member that is unknown or has a wrong value, with its name.
std::string wrong_members_in(std::string_view planner, const json::object& object, In in) {
  for (const auto& [name, value] : object) {
    const PlannerMember* const member = find_member(planner, name, in);
    if (member == nullptr) {
      const std::string names = names_in(planner, in);
      return std::string(name) + ": " + std::string(planner) + " has no such member; it " +
             (names.empty() ? "takes no configuration" : "has " + names);
    }
    if (std::string wrong = wrong_member(object, *member); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

std::string wrong_words(double words) {
  const bool is_good = words == 0 || (words >= kFewestWords && words <= kMostWords);
  return is_good && is_whole(words) ? "" : "must be 0, or a number from 10 to 1000";
}

std::string wrong_steps(double steps) {
  const bool is_good = is_whole(steps) && steps >= 1 && steps <= kMostInlineSteps;
  return is_good ? "" : "must be a number from 1 to " + std::to_string(kMostInlineSteps);
}

std::string wrong_seed(std::string_view planner, const json::object& seed) {
  return planner == kPlannerOff ? std::string() : wrong_members_in(planner, seed, In::Seed);   // nobody reads it
}

std::string wrong_config(std::string_view planner, const json::object& config) {
  return wrong_members_in(planner, config, In::Config);
}

}  // namespace ptcvm::harness
