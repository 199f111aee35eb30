// Turns EDN text into JSON text, for faces that show records whose values are EDN.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

// Returns the value as JSON, or the text as a JSON string when the text is not readable EDN. "" gives null. Takes
// memory for the value and the JSON text, and for no further copy of either.
std::string json_of_edn(std::string_view edn);

}  // namespace ptc
