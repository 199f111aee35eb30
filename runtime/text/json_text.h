// Writes JSON text piece by piece, without building a document.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

// Appends a JSON string literal with its quotes. Malformed UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view utf8);
// Appends the inside of such a literal, for text that comes in pieces of whole characters.
void append_json_escaped(std::string& out, std::string_view utf8);

// Appends the comma before the next element or member, except after an opening bracket or a colon.
void append_json_comma(std::string& out);
// Appends ,"name": with the comma when one is needed. The name must need no escapes. Append the value next.
void append_json_name(std::string& out, std::string_view name);
void append_json_member(std::string& out, std::string_view name, std::string_view text);
void append_json_member(std::string& out, std::string_view name, std::uint64_t number);
void append_json_member(std::string& out, std::string_view name, std::int64_t number);

}  // namespace ptc
