// The first fact of a run that is enqueued: the one that the run would write itself.
#pragma once
#include <string>

#include "ptcvm/stored_run.hpp"
#include "runtime/log/fact.h"

namespace ptcvm {

// Errors: invalid_value, for options that make no sense.
PTCVM_HIDDEN Result<ptc::Fact> start_fact(const StoredOptions& options, std::string source);

}  // namespace ptcvm
