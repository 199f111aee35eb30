// Fills the Mustache template of a prompt.
#pragma once
#include <boost/json/object.hpp>
#include <string>

namespace ptcvm::loop {

// Returns the text with the values of the data in it. A name without data stays as it is written.
std::string filled_template(const std::string& text, const boost::json::object& data);
// Returns the text with references that programs can use: ~{data/name} for {{name}}.
std::string referring_template(const std::string& text);

}  // namespace ptcvm::loop
