// A file of JSON in which every member counts: a member that is written twice is refused.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tools/ptcvm/process/bounded_file.h"

namespace ptcvm::cli {

// Returns the document, or nullopt and why there is none.
std::optional<boost::json::value> read_json_file(const std::string& path, const FileBound& bound,
                                                 std::string& message);

}  // namespace ptcvm::cli
