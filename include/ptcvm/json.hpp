// Converts boost::json::value to values and back. Link Boost.JSON, or include <boost/json.hpp> yourself.
//
// From JSON, objects become maps with string keys, and numbers become ints or floats (unsigned numbers above 2^63
// become floats). To JSON, keywords become their names, sets become arrays, dates become ISO text, NaN and infinities
// become null, and functions become their text.
#pragma once
#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <string_view>

#include "ptcvm/convert.hpp"

namespace ptcvm {

// Returns the value as JSON that owns all of its parts.
PTCVM_API boost::json::value to_json(ValueView value);
// Writes the JSON as one value.
PTCVM_API void write_json(ValueWriter& out, const boost::json::value& json);

// Returns the path of the first member that its object has already, as /limits/turns, or "". Parsers keep one of the
// two in silence, so a file that protects somebody is looked at first. A text that is no JSON is looked at up to its
// mistake. What lies inside of the members `open` of the top is not looked at.
PTCVM_API std::string doubled_member(std::string_view json, std::span<const std::string_view> open = {});

template <>
struct Convert<boost::json::value> {
  static void write(ValueWriter& out, const boost::json::value& json) { write_json(out, json); }
  static Result<boost::json::value> read(ValueView v, const Path&) { return to_json(v); }
};

}  // namespace ptcvm
