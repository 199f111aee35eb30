// Calls in doubt that a command has shown to a person, and those that nobody was shown.
#pragma once
#include <set>
#include <string>

#include "ptcvm/engine.hpp"
#include "ptcvm/host_log.hpp"

namespace ptcvm::cli {

// Returns the paths of the calls whose last doubt in the log of a run is newer than what a command has shown last.
// Words that come before a doubt is shown are about something else.
Result<std::set<std::string>> unshown_doubts(const Store& store, const std::string& id);

}  // namespace ptcvm::cli
