// What a suspended program is told about: the line of JSON that scripts read, and the exit status that goes with it.
#pragma once
#include <string>
#include <vector>

#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// An operation that waits, as texts.
struct WaitingOperation {
  std::string id, tool, args_json;
  std::int64_t since_ms = 0, deadline_ms = 0;     // milliseconds since 1970; 0: there is no such time
};
std::vector<WaitingOperation> operations_of(const std::vector<PendingOperation>& pending);
std::vector<WaitingOperation> operations_of(const std::vector<StoredWait>& pending);

// Appends [{"op","tool","args","since","deadline"} …]; times are milliseconds since 1970, or null.
void append_pending(std::string& out, const std::vector<WaitingOperation>& pending);
// Returns {"status":"suspended","pending":[…]}, without the end of the line.
std::string suspended_line(const std::vector<WaitingOperation>& pending);
// Returns the ids of the operations, with a blank between them.
std::string waiting_ids(const std::vector<WaitingOperation>& pending);
// Returns "waiting for op1 (call), op2 (call)", for people.
std::string waiting_text(const std::vector<WaitingOperation>& pending);

}  // namespace ptcvm::cli
