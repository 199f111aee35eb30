// Turns EDN text into JSON text, for faces that show records whose values are EDN.
#pragma once
#include <string>

namespace ptc {

// Returns the value as JSON, or the text as a JSON string when the text is not readable EDN. "" gives null.
std::string json_of_edn(const std::string& edn);

}  // namespace ptc
