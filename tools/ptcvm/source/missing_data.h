// Tells of data/… names that the data of a session lacks.
#pragma once
#include <string_view>

#include "ptcvm/session.hpp"

namespace ptcvm::cli {

// Writes a warning for each name, or errors when `strict`. Returns false when there is an error.
bool tell_of_missing_data(const Session& session, std::string_view source, bool strict);

}  // namespace ptcvm::cli
