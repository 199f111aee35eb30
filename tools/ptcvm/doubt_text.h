// Writes a call that may or may not have happened, for people and for scripts.
#pragma once
#include <string>

#include "tools/ptcvm/store_options.h"

namespace ptcvm::cli {

// {"run","key","tool","args","effect","task","attempt"} on one line.
std::string doubt_json(const std::string& run, const JournalCall& doubt);
// What it is, and the commands that settle it; indented lines without the last line break.
std::string doubt_text(const StoreOptions& store, const std::string& run, const JournalCall& doubt);

}  // namespace ptcvm::cli
