// Reads members of JSON objects that may be missing.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptcvm::chain {

// Returns the text at that name, or "" when there is no text.
std::string member_text(const boost::json::object& object, std::string_view name);
// Returns the positive integer at that name, or 1.
std::uint32_t member_number(const boost::json::object& object, std::string_view name);
// Returns the integer at that name, from 0 on, or `otherwise`.
std::uint32_t member_count(const boost::json::object& object, std::string_view name, std::uint32_t otherwise);

}  // namespace ptcvm::chain
