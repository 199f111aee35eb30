// What a person wants, in fields. A model fills them in; a profile from the input alone is always possible.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::chain {

struct IntentProfile {
  std::string category = "unknown";      // query, action, script or unknown
  std::string summary;
  std::string complexity = "medium";     // simple, medium or complex
  std::string goal;
  std::optional<std::vector<std::string>> entities;
  std::vector<std::string> deliverables, constraints, success_criteria, assumptions, required_tools;
};

// Reads what a model answered. A category or complexity outside of the lists, a member of another type, and a summary
// that is missing make the text unreadable; further members are dropped. nullopt: the text is unreadable.
std::optional<IntentProfile> read_intent(std::string_view model_text);

// Returns the profile that needs no model: nothing is known but the input.
IntentProfile intent_of_input(std::string_view input);

boost::json::object intent_json(const IntentProfile& intent);

}  // namespace ptcvm::chain
