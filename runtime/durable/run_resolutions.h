// What a log says to a suspended session: answers to operations and signals. And the other way round: what a
// session waits for, as keys of facts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/log/run_log.h"
#include "runtime/session/session.h"

namespace ptc {

// What the log, up to the fact `until`, says and the session was not told; in the order of the log.
bool has_news(const Session& session, const RunLog& log, std::uint64_t until);
std::vector<Resolution> take_news(Session& session, const RunLog& log, std::uint64_t until);

// Whether the log says something about calls that hooks asked about, which the session does not know yet; and what the
// log knows of judged calls, as the session's.
bool has_decisions(const Session& session, const RunLog& log);
void take_approvals(Session& session, const RunLog& log);

std::vector<std::string> wait_keys(Session& session, const RunLog& log);

// The operations that the bodies of tasks started and that a program which runs again attaches to, as a JSON list. Not
// those that went wrong before the run ended: they are started again.
std::string operations_to_attach(const RunLog& log);

}  // namespace ptc
