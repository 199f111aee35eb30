// EDN text as JSON text, for faces that show what records hold as EDN.
#pragma once
#include <string>

namespace ptc {

// Where it can be read; else the text as a JSON string. "" is null.
std::string json_of_edn(const std::string& edn);

}  // namespace ptc
