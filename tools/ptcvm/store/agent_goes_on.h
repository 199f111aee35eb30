// What commands for runs of programs say about the run of an agent.
#pragma once
#include <string>

#include "ptcvm/store.hpp"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Returns the command that goes on with the run of an agent, as a sentence, or "" for every other run.
std::string agent_goes_on(const Store& store, const StoreOptions& options);

}  // namespace ptcvm::cli
