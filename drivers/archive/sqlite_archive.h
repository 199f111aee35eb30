// Keeps records of tasks and facts in SQLite: tables task_reports, task_feedback, episodes, traces and memory_facts,
// with full-text search (FTS5) over episodes and facts. The tables may lie in the file of a store; they have a version
// of their own, and older ones are upgraded when the archive is opened.
#pragma once
#include <memory>
#include <string>

#include "agents/chain/memory/task_archive.h"

namespace ptcvm::drivers {

// Opens the archive in a file, or in memory with ":memory:". store_failed: the file cannot be opened, or a newer
// version made its tables.
Result<std::unique_ptr<chain::TaskArchive>> open_sqlite_archive(const std::string& path);

}  // namespace ptcvm::drivers
