// Keeps records of tasks and facts in PostgreSQL, as sqlite_archive.h does in SQLite: the same tables in the schema
// ptcvm_tasks, with full-text search (English stems). The tables have a version of their own, and older ones are
// upgraded when the archive is opened.
#pragma once
#include <memory>
#include <string>

#include "agents/chain/memory/task_archive.h"

namespace ptcvm::drivers {

// Opens the archive in a database; makes or upgrades its tables, for which the role needs the right to create a schema
// once. store_failed: there is no connection, the tables cannot be made, or a newer version made them.
Result<std::unique_ptr<chain::TaskArchive>> open_postgres_archive(const std::string& url);

}  // namespace ptcvm::drivers
