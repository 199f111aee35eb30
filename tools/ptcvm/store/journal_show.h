// What a log says, as people and scripts read it.
#pragma once
#include <string>

#include "ptcvm/journal.hpp"

namespace ptcvm::cli {

// Tables: what tasks came to, calls with effects, operations, signals.
std::string show_journal(const RunJournal& journal, std::int64_t now_ms);

}  // namespace ptcvm::cli
