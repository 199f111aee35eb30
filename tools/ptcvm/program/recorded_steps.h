// Steps a copy of a run whose calls are answered from its log: no command runs, except the commands of pure tools.
#pragma once
#include "tools/ptcvm/calls/command_calls.h"

namespace ptcvm::cli {

// Returns the tools without what asks them whether a call has happened.
Tools without_reconcilers(const Tools& tools);
// Steps the run until it is done. The first call that the log has no answer for ends it with Errc::refused, and the
// message begins with "no_recorded_answer". An asynchronous tool without a command begins its operation.
Result<StoredOutcome> run_recorded(StoredRun& run, const Tools& tools, CommandCalls& commands);

}  // namespace ptcvm::cli
