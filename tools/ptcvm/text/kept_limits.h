// Limits that a store keeps with a run, as JSON, and how they are compared.
#pragma once
#include <boost/json/object.hpp>
#include <string>

#include "ptcvm/limits.hpp"

namespace ptcvm::cli {

// Returns the smaller of the two for every limit. No limit at all is larger than every number.
Limits smaller_limits(const Limits& a, const Limits& b);
// Returns the first limit that is larger than it may be, for people; "" when none is.
std::string larger_limit(const Limits& limits, const Limits& most);

// Writes the limits that are not the usual ones, by name.
boost::json::object write_limits(const Limits& limits, const Limits& usual);
// Reads what write_limits() wrote. Limits that cannot be read are the usual ones.
Limits read_limits(const boost::json::object& written, const Limits& usual);

}  // namespace ptcvm::cli
