// Tells of data/… names that the data of a session lacks.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ptcvm/session.hpp"

namespace ptcvm::cli {

// Returns a warning for each name; none for a program that is incomplete.
std::vector<Finding> missing_data(const Session& session, std::string_view source);
// Writes these warnings, or errors when `strict`. Returns false when there is an error.
bool tell_of_missing_data(const Session& session, std::string_view source, bool strict);
// Writes these warnings. When `strict`, returns the first as the error for which the program is refused instead.
std::optional<Diagnostic> refused_data(const Session& session, std::string_view source, bool strict);

}  // namespace ptcvm::cli
