// The files that are made from schema/limits.def, as texts.
#pragma once
#include <string>

namespace ptc {

// The table of limits in a binary snapshot, for flatc.
std::string limits_fbs();

// include/ptcvm/limits.hpp and include/ptcvm/limits.h: users have no schema/.
std::string limits_cpp_header();
std::string limits_c_header();

// docs/reference/limits.md
std::string limits_reference();

// Returns schema/snapshot.schema.json with the members of "limits" made anew, or "" if it has no such section.
std::string with_limits_schema(const std::string& schema);

}  // namespace ptc
