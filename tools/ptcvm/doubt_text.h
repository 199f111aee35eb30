// Writes a call that may or may not have happened, for people and for scripts.
#pragma once
#include <string>

#include "tools/ptcvm/store_options.h"

namespace ptcvm::cli {

// Returns {"run","key","tool","args","effect","task","attempt"} on one line.
std::string doubt_json(const std::string& run, const JournalCall& doubt);
// Returns the call and the commands that settle it, as indented lines without the last line break.
std::string doubt_text(const StoreOptions& store, const std::string& run, const JournalCall& doubt);

}  // namespace ptcvm::cli
