// Makes the tables of the SQLite store, and upgrades older ones.
#pragma once
#include "runtime/log/sqlite/sqlite_connection.h"

namespace ptc {

inline constexpr int kSqliteStoreVersion = 7;   // PRAGMA user_version

// Fails with Version on files of a newer version, and with Corrupt on files that are something else. Writes nothing.
void check_schema(SqliteConnection& connection);
// Makes the tables of an empty file, or upgrades an older version, in one transaction. Fails as check_schema() does.
void prepare_schema(SqliteConnection& connection);

}  // namespace ptc
