// SQLite on a disk that tells a crash point of each of its operations.
#pragma once
#include <string>

#include "ptcvm/crash_points.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::crash {

// Opens the store. In a process whose points are armed the disk stays until the process ends.
Result<Store> open_on_watched_disk(const std::string& path, Points& points);

}  // namespace ptcvm::crash
