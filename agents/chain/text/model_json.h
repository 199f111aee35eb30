// Finds the JSON in what a model wrote. Models put code fences and sentences around it.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

namespace ptcvm::chain {

// Returns the JSON of the text: the whole text, else the object or list in the first code fence that holds one, else
// the first object in the prose, else the first list. Thoughts before the answer (<think>…</think>) and JSON that is
// broken are passed over. nullopt: there is no JSON.
std::optional<boost::json::value> find_json(std::string_view text);

}  // namespace ptcvm::chain
