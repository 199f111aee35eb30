// Opens a store in one SQLite file. Link the component "sqlite" (ptcvm::sqlite).
#pragma once
#include <chrono>
#include <string>

#include "ptcvm/store.hpp"

namespace ptcvm {

// Says what a crash of the machine can take back. A crash of the process takes back nothing.
enum class Durability : std::uint8_t {
  Sync,     // a write is on the disk when the call returns
  Group,    // the writes of a window share one sync; a crash can take back the last window, and nothing before it
};

// Says how a file is opened.
struct SqliteOptions {
  Durability durability = Durability::Sync;       // see Durability
  std::chrono::milliseconds window{5};            // the length of a window, for Group
  std::chrono::milliseconds busy_timeout{5'000};  // how long a call waits for other processes
};

// Opens a file, and creates the file when it does not exist. Error: store_failed; the message says why.
PTCVM_API Result<Store> open_sqlite(const std::string& path, const SqliteOptions& options = {});

}  // namespace ptcvm
