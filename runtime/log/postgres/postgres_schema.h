// Makes and checks the tables and functions of the PostgreSQL store (tables_1.sql, functions.sql).
//
// Nothing is made or changed when a store is opened: an operator does that with migrate_postgres(), whose role owns the
// schema. Migrations only go forwards. A store of a newer version is refused.
#pragma once
#include <string>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

class PostgresCalls;

inline constexpr int kPostgresStoreVersion = 13;

// Returns the statements that make the store in an empty database, as a script for psql.
std::string postgres_sql();
// Makes the store, or brings an older one to this version, in one transaction. Returns the version that was there
// before, or 0 when there was none. Any number of processes may call it at the same time.
StoreResult<int> migrate_postgres(const std::string& url);
// Returns Version unless the database has a store of this version.
std::optional<StoreError> check_postgres_version(PostgresCalls& calls);

// What the configuration of a server means for the promises of the store.
struct PostgresFinding {
  bool is_refused = false;   // the store must not be used like this; else a warning
  std::string message;
};
StoreResult<std::vector<PostgresFinding>> examine_postgres(const std::string& url);

}   // namespace ptc
