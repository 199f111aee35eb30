// What a program at the prompt waits for, as text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ptcvm/program/suspension.h"

namespace ptcvm::cli {

// Returns what `:pending` prints. `doubts` names calls in doubt and the commands that settle them, or is "".
std::string pending_text(const std::vector<WaitingOperation>& waiting, const std::string& doubts, std::int64_t now_ms);
// Returns whether a person means the operation: by its id, or by the name of the signal that it is.
bool is_named(const WaitingOperation& operation, std::string_view name);

}   // namespace ptcvm::cli
