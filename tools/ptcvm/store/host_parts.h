// Runs that belong to something larger: the logs of a task of `ptcvm chain`, and the planner of a conversation. They
// are run, moved and copied with it or not at all.
#pragma once
#include <string>

#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// Error: refused, with the detail "not_a_run", when the log is a part of something.
Result<void> refuse_host_part(const Store& store, const std::string& run);

}  // namespace ptcvm::cli
