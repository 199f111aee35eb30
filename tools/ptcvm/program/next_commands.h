// What to type next when a program waits: the command that answers each operation, and the one that goes on.
#pragma once
#include <string>
#include <vector>

#include "ptcvm/store.hpp"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/program/snapshot_file.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// Returns the options of tools, as words of a shell with a blank before each: " --tools tools.json --tool t=true".
std::string tool_words(const RunArguments& options);

// Returns lines for people, for a run that a store keeps.
std::string next_in_store(const StoreOptions& store, const std::vector<StoredWait>& pending,
                          const RunArguments& options);
// Returns lines for people, for a program whose state is in a snapshot. With the path "" its state is gone, and the
// lines say how to keep the state.
std::string next_with_snapshot(const std::string& snapshot, const SealOptions& seal,
                               const std::vector<PendingOperation>& pending, const RunArguments& options);

}  // namespace ptcvm::cli
