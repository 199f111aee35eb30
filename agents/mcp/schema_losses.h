// What a JSON Schema says and a signature does not.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::mcp {

inline constexpr std::size_t kMostLosses = 20;

// Adds the places of keywords that forbid something and have no word in a signature, such as
// "/inputSchema/properties/unit/enum". Stops at kMostLosses entries.
void add_losses(const boost::json::object& schema, const std::string& place, std::vector<std::string>& losses);

// Returns a line for each parameter about which the schema says more than its type:
// "unit: one of \"day\", \"week\"; The unit of time".
std::string described_parameters(const boost::json::object& input_schema);

}  // namespace ptcvm::mcp
