// Tells a suspended session the answers of the log to operations and signals, and lists what a session waits for as
// keys of facts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/log/run_log.h"
#include "runtime/session/session.h"

namespace ptc {

// Returns the resolutions of the log, up to the fact `until`, that the session has not seen; in the order of the log.
bool has_news(const Session& session, const RunLog& log, std::uint64_t until);
std::vector<Resolution> take_news(Session& session, const RunLog& log, std::uint64_t until);

// Returns whether the log has decisions about calls that hooks asked about and that the session does not know yet; the
// other function returns the approvals of the log for the session.
bool has_decisions(const Session& session, const RunLog& log);
void take_approvals(Session& session, const RunLog& log);

std::vector<std::string> wait_keys(Session& session, const RunLog& log);

// Returns, as a JSON list, the operations that bodies of tasks started and that a program which runs again attaches to.
// Leaves out operations that failed before the run ended, because they are started again.
std::string operations_to_attach(const RunLog& log);

}  // namespace ptc
