// Reads members of JSON objects that may be missing or of another type.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::harness {

// Return the member, or nullptr when it is missing or of another type. The pointer is valid as long as the object.
const boost::json::object* object_at(const boost::json::object& object, std::string_view member);
const boost::json::array* array_at(const boost::json::object& object, std::string_view member);
// Returns whether that member is there and true.
bool is_true(const boost::json::object& object, std::string_view member);
// Returns the texts in the list of that name, in order; an empty list when there is no such list.
std::vector<std::string> texts_of(const boost::json::object& object, std::string_view member);
// Returns the number of that member, also when it is written as a text; nullopt when it is no number.
std::optional<double> number_of(const boost::json::object& object, std::string_view member);
// Returns the whole number of that member, from 0; 0 when there is no such number.
std::uint64_t count_of(const boost::json::object& object, std::string_view member);
// Returns whether the list has the text.
bool has(const std::vector<std::string>& list, std::string_view text);
// Returns the texts as a list.
boost::json::array array_of(const std::vector<std::string>& texts);

}  // namespace ptcvm::harness
