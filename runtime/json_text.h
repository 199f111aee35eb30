// JSON text for protocol lines that are written piece by piece, without a document in between.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

// A JSON string literal with its quotes. Malformed UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view utf8);

}  // namespace ptc
