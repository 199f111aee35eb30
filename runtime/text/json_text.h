// JSON text that is written piece by piece, without a document in between.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

// A JSON string literal with its quotes. Malformed UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view utf8);

// The comma before the next element or member, if one is needed: not after an opening bracket, and not after a colon.
void append_json_comma(std::string& out);
// ,"name":  with the comma if one is needed. The name needs no escapes. The value is to follow.
void append_json_name(std::string& out, std::string_view name);
void append_json_member(std::string& out, std::string_view name, std::string_view text);
void append_json_member(std::string& out, std::string_view name, std::uint64_t number);
void append_json_member(std::string& out, std::string_view name, std::int64_t number);

}  // namespace ptc
