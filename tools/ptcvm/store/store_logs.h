// Logs of a store that lists pass over, that tenants share, and that take no answers.
#pragma once
#include <string>

#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Returns the log of the tenant in which runs share something. A store without a ring has one for all.
std::string shared_log(const StoreOptions& options, const std::string& name);

// Says which log of a list cannot be read, unless it belongs to another tenant; `status` then becomes what the command
// ends with. Returns whether the list goes on: the fault is one of this log.
bool passes_over(const Error& error, const std::string& log, int& status);

// Returns whether the log is sealed and the store was opened without a ring: then the log can be read and not written.
bool needs_ring(const Store& store, const std::string& log);

// Says that the run was cancelled, when it was. Returns whether it was: such a run takes no answers.
bool refuses_answers(const Store& store, const StoreOptions& options, const std::string& run);
// Returns the command that makes a cancelled run ready again.
std::string retry_words(const StoreOptions& options, const std::string& run);
// Says that the run was cancelled and is over, when it is. Returns whether it is: nobody goes on with such a run.
bool refuses_to_go_on(const Store& store, const std::string& run);

}  // namespace ptcvm::cli
