// What a suspended program is told about: the line of JSON that scripts read, and the exit status that goes with it.
#pragma once
#include <string>
#include <vector>

#include "runtime/session/outcome.h"

namespace ptcvm::cli {

// [{"op","tool","args","since","deadline"} …]; times are milliseconds since 1970, or null.
void append_pending(std::string& out, const std::vector<ptc::PendingOutcome>& pending);
// {"status":"suspended","pending":[…]}, without the end of the line.
std::string suspended_line(const ptc::Outcome& outcome);
// For people: "waiting for op1 (call), op2 (call)".
std::string waiting_text(const ptc::Outcome& outcome);

}  // namespace ptcvm::cli
