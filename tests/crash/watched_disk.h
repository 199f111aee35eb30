// SQLite on a disk that tells a crash point of each of its operations.
#pragma once
#include <memory>
#include <string>

#include "ptcvm/crash_points.hpp"
#include "runtime/log/sqlite/sqlite_store.h"

namespace ptc {

// Null when it cannot be opened. In a process whose points are armed the disk stays until the process ends.
std::unique_ptr<FactStore> open_on_watched_disk(const std::string& path, CrashPoints& points);
std::unique_ptr<FactStore> open_sqlite(const std::string& path, const SqliteOptions& options = {});

}  // namespace ptc
