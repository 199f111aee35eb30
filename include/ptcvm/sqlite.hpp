// A store in one SQLite file. Link the component "sqlite" (ptcvm::sqlite).
#pragma once
#include <chrono>
#include <string>

#include "ptcvm/store.hpp"

namespace ptcvm {

// What a crash of the machine may take back. One of the process alone takes back nothing.
enum class Durability : std::uint8_t {
  Sync,     // what a call wrote is on the disk when it returns
  Group,    // writes of a window share one sync: a crash takes back what was written in the last window, never more
};

// How a file is opened.
struct SqliteOptions {
  Durability durability = Durability::Sync;       // see Durability
  std::chrono::milliseconds window{5};            // Group: how long writes are gathered
  std::chrono::milliseconds busy_timeout{5'000};  // how long to wait for other processes
};

// Made when it is not there. store_failed: the message says why.
PTCVM_API Result<Store> open_sqlite(const std::string& path, const SqliteOptions& options = {});

}  // namespace ptcvm
