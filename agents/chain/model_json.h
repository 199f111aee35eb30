// Finds the JSON in what a model wrote. Models put code fences and sentences around it.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

namespace ptcvm::chain {

// Returns the JSON of the text: the whole text, else the content of its first code fence, else the stretch from the
// first brace or bracket to the one that closes it. nullopt: none of these is JSON.
std::optional<boost::json::value> find_json(std::string_view text);

}  // namespace ptcvm::chain
