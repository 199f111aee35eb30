// boost::json::value <-> values. Include <boost/json.hpp> yourself, or link Boost.JSON.
//
// From JSON: objects become maps with string keys, numbers ints or floats (unsigned ones above 2^63 floats). To JSON:
// keywords are their names, sets arrays, dates ISO text, NaN and infinities null, anything that is no data its text.
#pragma once
#include <boost/json/value.hpp>

#include "ptcvm/convert.hpp"

namespace ptcvm {

// As said above; the JSON owns everything.
PTCVM_API boost::json::value to_json(ValueView value);
// One value for the writer, as said above.
PTCVM_API void write_json(ValueWriter& out, const boost::json::value& json);

template <>
struct Convert<boost::json::value> {
  static void write(ValueWriter& out, const boost::json::value& json) { write_json(out, json); }
  static Result<boost::json::value> read(ValueView v, const Path&) { return to_json(v); }
};

}  // namespace ptcvm
